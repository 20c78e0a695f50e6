"""English: the Penn Treebank II, and Collins' heads.

"collins" is the table of Collins, *Head-Driven Statistical Models for Natural
Language Parsing* (1999), appendix A, with its rules for noun phrases and for
coordination. "semantic" makes content words heads, by the principles of Stanford
dependencies (de Marneffe, MacCartney and Manning 2006, section 2): the main verb
instead of its auxiliaries, the predicate instead of the copula, the clause instead of
its complementizer, the first of several conjuncts; a preposition stays the head
of its phrase. The table is this project's own, for trees without function tags.

Four things go beyond Collins, whose trees had no punctuation and only his
labels: punctuation is a head only where there is nothing else; CONJP coordinates as
CC does; NX and NML follow the rule of NP; a constituent of a label without a rule is
headed by its leftmost child.
"""

from collections.abc import Sequence

from spacy_gfl.languages.base import Language, Spacing, ToCommon
from spacy_gfl.languages.head_rules import Candidate, Choice, head_rules
from spacy_gfl.trees.labels import TAGS, split_label
from spacy_gfl.trees.tree import MISSING_TAG, Tree

#: Constituents of the Penn Treebank II, of treebanks that follow it (OntoNotes, the
#: English Web Treebank, GUM) and of CRAFT.
_LABELS: dict[str, str] = {
    # Clauses
    "S": "clause, declarative or without a mark of another kind",
    "SBAR": "clause, subordinate or relative, with or without a word that opens it",
    "SBARQ": "question opened by a wh-phrase",
    "SINV": "declarative clause with the subject after the verb",
    "SQ": "yes/no question, or the rest of a question after its wh-phrase",
    # Phrases
    "ADJP": "adjective phrase",
    "ADVP": "adverb phrase",
    "CONJP": "conjunction of several words",
    "FRAG": "fragment: an utterance that is no whole clause",
    "INTJ": "interjection",
    "LST": "list marker with its punctuation",
    "NAC": "modifier inside a noun phrase that is not a constituent by itself",
    "NML": "nominal modifier: a group of words before the head of a noun phrase",
    "NP": "noun phrase",
    "NX": "part of a noun phrase that shares words with others in coordination",
    "PP": "prepositional phrase",
    "PRN": "parenthetical",
    "PRT": "particle of a verb",
    "QP": "quantity phrase: a number of several words",
    "RRC": "reduced relative clause",
    "UCP": "coordination of unlike phrases",
    "VP": "verb phrase",
    "WHADJP": "adjective phrase with a wh-word",
    "WHADVP": "adverb phrase with a wh-word",
    "WHNP": "noun phrase with a wh-word",
    "WHPP": "prepositional phrase over a noun phrase with a wh-word",
    "X": "unknown, uncertain, or not to be bracketed otherwise",
    # Parts of a document (CRAFT)
    "CAPTION": "sentence or phrase in the caption of a figure or table",
    "CIT": "citation",
    "HEADING": "heading of a section, figure or table",
    "TITLE": "title of a document",
    # Speech and the web
    "EDITED": "words that the speaker takes back",
    "EMBED": "passage of another text, as in a forwarded message",
    "META": "words about the document rather than of it",
    "TYPO": "slip of the pen or of the tongue",
    **dict.fromkeys(
        ("TOP", "ROOT", "S1", "VROOT"), "root: the bracket around a sentence"
    ),
}

# Tags that spaCy's glossary lacks, or explains for other treebanks too.
_TAGS = {
    **dict.fromkeys(TAGS, ""),
    "-NONE-": "empty element: a trace, or a word left unsaid",
    "-LSB-": "opening square bracket",
    "-RSB-": "closing square bracket",
    "-LCB-": "opening curly bracket",
    "-RCB-": "closing curly bracket",
    "AUXG": "auxiliary verb in -ing (in parsers that set it apart)",
    "JJ": "adjective",
    "SP": "white space",
}

_FUNCTIONS: dict[str, str] = {
    "ADV": "adverbial",
    "BNF": "benefactive",
    "CLF": "cleft",
    "CLR": "closely related to the verb",
    "DIR": "direction",
    "DTV": "dative: recipient in a prepositional phrase",
    "ETC": "et cetera: stands for the rest of a list",
    "EXT": "extent",
    "FRM": "formula",
    "HLN": "headline",
    "IMP": "imperative",
    "LGS": "logical subject of a passive",
    "LOC": "place",
    "MNR": "manner",
    "NOM": "used as a noun",
    "PRD": "predicate other than a verb",
    "PRP": "purpose or reason",
    "PUT": "place that the verb put asks for",
    "SBJ": "subject",
    "SEZ": "reported speech",
    "TMP": "time",
    "TPC": "moved to the front",
    "TTL": "title",
    "UNF": "unfinished",
    "VOC": "vocative: the one addressed",
}

_COLLINS = """
    ADJP   left   NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP JJS DT FW RBR RBS SBAR RB
    ADVP   right  RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN
    CONJP  right  CC RB IN
    FRAG   right
    INTJ   left
    LST    right  LS :
    NAC    left   NN NNS NNP NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW
    NP     right| NN NNP NNPS NNS NX NML POS JJR
    NP     left   NP
    NP     right| $ ADJP PRN
    NP     right  CD
    NP     right| JJ JJS RB QP
    NP     right
    PP     right  IN TO VBG VBN RP FW
    PRN    left
    PRT    right  RP
    QP     left   $ IN NNS NN JJ RB DT CD NCD QP JJR JJS
    RRC    right  VP NP ADVP ADJP PP
    S      left   TO IN VP S SBAR ADJP UCP NP
    SBAR   left   WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG
    SBARQ  left   SQ S SINV SBARQ FRAG
    SINV   left   VBZ VBD VBP VB MD VP S SINV ADJP NP
    SQ     left   VBZ VBD VBP VB MD VP SQ
    UCP    right
    VP     left   TO VBD VBN MD VBZ VB VBG VBP VP ADJP NN NNS NP
    WHADJP left   CC WRB JJ ADJP
    WHADVP right  CC WRB
    WHNP   left   WDT WP WP$ WHADJP WHPP WHNP
    WHPP   right  IN TO FW
"""
_SEMANTIC = """
    ADJP   right  $
    ADJP   right| JJ JJR JJS VBN VBG NN NNS FW
    ADJP   left   ADJP QP CD
    ADJP   right| RB RBR RBS ADVP DT
    ADJP   left   NP
    ADVP   right| RB RBR RBS FW WRB JJ JJR JJS
    ADVP   left   ADVP
    ADVP   right| IN RP CD NN NP DT
    FRAG   left   VP S SQ SBARQ SINV SBAR FRAG NP ADJP ADVP PP
    NP     right| NN NNS NNP NNPS NX NML FW
    NP     left   NP PRP WP EX
    NP     right  $ CD QP
    NP     right| JJ JJR JJS ADJP VBN VBG
    NP     right| DT PDT PRP$ RB ADVP
    NP     right
    PP     right  IN TO VBG VBN RP FW
    PP     left   PP
    PRN    left   VP S SQ SINV SBAR NP ADJP PP ADVP INTJ
    QP     right  $
    QP     right| NNS NN CD
    QP     right| JJ DT PDT RB
    S      left   VP S SBAR ADJP UCP FRAG
    S      right  NP
    SBAR   left   S SQ SINV SBAR FRAG VP WHNP WHPP WHADVP WHADJP IN DT
    SINV   left   VP VBZ VBD VBP VB MD S SINV ADJP NP
    SQ     left   VP
    SQ     left|  S SQ
    SQ     left   VBZ VBD VBP VB MD ADJP NP
    UCP    left
    WHADJP right| JJ JJR ADJP
    WHADJP right| RB WHADVP
    WHADJP right
    WHADVP right| WRB WHADVP RB JJ
    WHNP   right| NN NNS NNP NNPS NX NML
    WHNP   left   WHNP NP WP
    WHNP   right  $ CD
    WHNP   right| JJ JJR JJS RB QP
    WHNP   left   WHPP WHADJP WP$ WDT
"""

_BE = frozenset(
    ["be", "is", "am", "are", "was", "were", "been", "being", "'m", "'re", "'s", "ai"]
)
_OTHER_AUXILIARIES = """
    have has had having 've 'd do does did get gets got getting gotten
    will would wo can could ca may might shall should sha must 'll to
"""
_AUXILIARIES = _BE.union(_OTHER_AUXILIARIES.split())
_AUXILIARY_TAGS = frozenset({"MD", "TO", "AUX", "AUXG"})
_VERB_TAGS = frozenset({"VB", "VBD", "VBG", "VBN", "VBP", "VBZ"})
_VERBS = _AUXILIARY_TAGS | _VERB_TAGS | {MISSING_TAG}
_ADJECTIVES = frozenset({"ADJP", "UCP", "WHADJP", "JJ", "JJR", "JJS"})
_NOUNS = frozenset({"NP", "WHNP", "NML", "NX", "NN", "NNS", "NNP", "NNPS", "PRP"})
_ADVERBIAL_FUNCTIONS = ("-TMP", "-ADV", "-LOC")
_PLACES = frozenset({"PP", "ADVP", "SBAR"})
_TIME_WORDS = """
    today yesterday tomorrow tonight monday tuesday wednesday thursday friday saturday
    sunday minute minutes hour hours morning afternoon evening night day days week weeks
    weekend month months year years
"""
_TIMES = frozenset(_TIME_WORDS.split())


def _head_beside_auxiliary(tree: Tree) -> Choice:
    """Find the head of a verb phrase or clause whose first verb is an auxiliary.

    A VP, SQ or SINV with an auxiliary is headed by the verb phrase that the
    auxiliary goes with. One with a form of *be* alone is headed by its adjectival
    or nominal predicate; before a prepositional phrase, an adverb or a clause (*is
    in the garden*), after the existential *there*, and where the only noun phrase
    is the subject (*who is the president?*), *be* is the head. An NP that is marked
    as an adverbial (-TMP, -ADV), or tells the time after one of these (*is in the
    garden this week*) or after a wh-phrase (*where were you last night?*), is no
    predicate.
    """
    existential, asked = _contexts(tree)

    def choose(at: int, label: str, children: Sequence[Candidate]) -> int | None:
        if label not in ("VP", "SQ", "SINV"):
            return None
        numbered = list(enumerate(children))
        verbs = (i for i, child in numbered if child.is_word and child.label in _VERBS)
        first = next(verbs, None)
        if first is None:
            return None
        verb, after = children[first], numbered[first + 1 :]
        if verb.label not in _AUXILIARY_TAGS and verb.word not in _AUXILIARIES:
            return None
        for i, child in after:
            if child.label == "VP" or (child.is_word and child.label in _VERB_TAGS):
                return i
        is_existential = at in existential or any(
            child.label == "NP" and child.word == "there" for child in children
        )
        if verb.word not in _BE or is_existential:
            return None
        adjectives = [i for i, child in after if child.label in _ADJECTIVES]
        nouns = [
            i
            for i, child in after
            if child.label in _NOUNS
            and not any(name in child.functions for name in _ADVERBIAL_FUNCTIONS)
            and not (
                child.word in _TIMES
                and (at in asked or any(c.label in _PLACES for j, c in after if j < i))
            )
        ]
        if label == "VP":
            # The first of either kind: what follows it modifies it.
            return min(adjectives + nouns, default=None)
        # In a question the first noun phrase after the verb is the subject.
        return next(iter(adjectives + nouns[1:]), None)

    return choose


def _contexts(tree: Tree) -> tuple[set[int], set[int]]:
    """Find the constituents, by index, whose places decide on the head of *be*.

    Returns:
        Verb phrases, and parts of them, after the existential *there*; clauses after a
        wh-phrase that may be their predicate (*where*, *who*, *how old*), and verb
        phrases of such clauses.
    """
    existential, asked = set[int](), set[int]()
    with_there, with_wh = set(), set()
    for i, parent in enumerate(tree.parents()):
        label, start, end = tree.constituents[i]
        name, word = split_label(label)[0], tree.words[start].lower()
        if name == "VP" and (parent in with_there or parent in existential):
            existential.add(i)
        # "There has to be": the infinitive has the same subject.
        is_next = parent in existential and start == tree.constituents[parent].start + 1
        if name == "S" and is_next and tree.tags[start] == "TO":
            with_there.add(i)
        is_inner = parent in asked and start > tree.constituents[parent].start
        if (name in ("S", "SQ") and parent in with_wh) or (name == "VP" and is_inner):
            asked.add(i)
        tag = tree.tags[start]
        is_there = tag == "EX" or (tag == MISSING_TAG and word == "there")
        if is_there and end - start == 1:
            with_there.add(parent)
        if name in ("WHNP", "WHADJP", "WHADVP") and word not in ("when", "why"):
            with_wh.add(parent)
    return existential, asked


_MEASURES = "approx avg est ext max min tel temp ca cf"
_TITLES = """
    abp adm amb archbp assoc asst atty attys bn bp br brig bvt capt cdr chanc cllr clr
    cmdr cmdt col comdr comdt comm commr comr cong congr cpl cpo cpt cttee dep det dir
    dr drs ens flt fr frl gen gens gov govs hon insp judg lcpl lieut lt ltc lts maj
    messrs mgr mlle mlles mme mmes mons mr mrs ms msgr msr mx ofc offr pfc pres prof
    profs pte ptl pvt rep reps ret rev revd rt rtd sen sens sgt sig sigra sr sra srta
    ssgt stf st sta ste sup supt supts surg treas vfy ven vis wg
"""
_PLACES_BEFORE_NAMES = "ft mt mtn mts"
_PARTS_OF_NAMES = """
    bros cie co corp inc intl jr llc ltd mfg natl nat plc univ met ave blvd bldg cir ct
    ctr dist hwy jct ln pk pkwy pl plz rd rte sq ste str ter
"""
_MONTHS = "jan feb mar apr jun jul aug sep sept oct nov dec"
_DAYS = "mon tue tues wed thu thur thurs fri sat sun"
_ABBREVIATIONS = {
    "leading": f"{_TITLES} {_PLACES_BEFORE_NAMES} mfg bros intl nat natl cf viz vs",
    "streets": "st dr",
    "capital": f"""
        {_PLACES_BEFORE_NAMES} {_MONTHS} {_DAYS} amb br cir co col comm cong ct ctr dep
        det dir dist ens fr gen gens hon inc ln met ms nat pk pl rep reps ret rt sen sig
        sq st sta ste stf str sup ter ven vis wg
    """,
    "numbered": f"""
        {_MEASURES} {_MONTHS} {_DAYS} art arts bk bks ch chap chaps chs cl cls col cols
        eq eqn eqs ex exs fig figs fn fol fols iss nn no nos op opp p para paras pl pls
        pp pt pts ref refs rte sched sec secs sect sects ser supp tab vol vols vv apt
        bldg hwy rm ste
    """,
    "inner": f"""
        {_MEASURES} abbr acct addl adj admin adv amt anon apt arr assn assoc asst attn
        auth bal bbl bibl biog biol bldg bur cal cent cert chem cntr comp conc cond conf
        cont contd corp ctr cttee cu deg dept depts diam dist div doz ed eds elec elev
        encl eng equiv esp est exc excl exec exp fac fem ff fl freq fr ft gal gals geog
        geol gm govt hosp hr hrs hwy illus immed inc incl indiv info inst intl intro
        irreg kg km lang lat lb lbs lg lib lit long loq mach maint masc math max med
        memo mfr mgmt mi mid min mins misc mm mo mos ms mth mths mus natl neg nr obit
        obj obs occas orig oz par pct perf pers pkg pkgs pkt poss pref prelim prep prev
        prob prod pron prov ps pseud pt pts pub publ qt qts qty quot rec recd regd rept
        req resp rev sc sci sec secs sep ser sess sing sm soc spec sq stat std stmt subj
        suppl syn tbs tbsp tbsps tech temp tr trans treas tsp tsps univ unpub usu var vb
        viz vs wk wks wt yd yds yr yrs
    """,
    "final": f"{_PARTS_OF_NAMES} {_MONTHS} {_DAYS} esq etc",
    "unending": """
        approx avg ca cf equiv esp excl incl nr orig prev resp usu viz vs
    """,
    "words": """
        mar mon sat sun wed adv art arts auth cal cent comp con conf ed ex exec exp ext
        fac fem fig figs fl info inst intro lat lib lit long mach math max med memo mi
        mid min mo mus obit par perf pl prep prod prov pub rec ref refs rep sec secs
        sing spec stat sub tab tech temp
    """,
    "openers": """
        i we you he she it they the this that there then and but so or not if when now
        what who why how please thanks
    """,
    "before": """
        a an the of in on under by to with per see also and or from than at for this
        that our its my your
    """,
    "answer": "no",
    "sayings": """
        say says said saying answer answers answered reply replies replied think thinks
        thought mean means meant is was be been probably definitely absolutely simply
        just them him her me us you it oh well then but and or a the with voted vote
        shouted whispered nodded insisted again
    """,
    "counted": (
        r"(?!(?:was|is|has|does|says|as|this|its|his|us|plus|times|versus|always)$)"
        r"[a-z]{2,}s|people|men|women|children|percent|hundred|thousand|million"
    ),
}

LANGUAGE = Language(
    lang="en",
    abbreviations=_ABBREVIATIONS,
    labels=_LABELS,
    tags=_TAGS,
    functions=_FUNCTIONS,
    punctuation=frozenset([",", ":", ".", "``", "''", "-LRB-", "-RRB-", "HYPH", "NFP"]),
    conjunctions=frozenset({"CC", "CONJP"}),
    closed_class={
        **dict.fromkeys(("and", "or", "nor", "but", "&"), "CC"),
        **dict.fromkeys(("the", "a", "an"), "DT"),
        **dict.fromkeys(("not", "n't"), "RB"),
        "to": "TO",
    },
    heads=head_rules(_COLLINS, _SEMANTIC, _head_beside_auxiliary),
    to_common=ToCommon(
        labels={
            **dict.fromkeys(("SQ", "SINV", "SBARQ"), "S"),
            **dict.fromkeys(("NML", "NX", "NAC", "PRT", "LST"), ""),
            **dict.fromkeys(("EDITED", "EMBED", "META"), ""),
            "RRC": "SBAR",
            "X": "FRAG",
        },
        tags={
            "ADJ": "JJ JJR JJS AFX",
            "ADP": "IN RP",
            "ADV": "RB RBR RBS WRB",
            "AUX": "MD AUX AUXG",
            "CCONJ": "CC",
            "DET": "DT PDT WDT",
            "INTJ": "UH",
            "NOUN": "NN NNS",
            "NUM": "CD",
            "PART": "TO POS",
            "PRON": "PRP PRP$ WP WP$ EX",
            "PROPN": "NNP NNPS",
            "PUNCT": "HYPH NFP , . : `` '' \"\" -LRB- -RRB- -LSB- -RSB- -LCB- -RCB-",
            "SYM": "SYM $ #",
            "VERB": "VB VBD VBG VBN VBP VBZ BES HVS",
            "X": "FW LS GW ADD XX",
        },
        govern=False,
    ),
    evalb_name="COLLINS",
    spacing=Spacing(
        clitics="n['’]t|['’](?:s|d|m|ll|re|ve)",
        # Words that Penn tokenization cuts out of one.
        cut=frozenset({"can not", "gim me", "gon na", "got ta", "lem me", "wan na"}),
    ),
    question_words=r"(?:who|what|which|when|where)(?:ever)?|how|whom|whose|why",
    relative_words="that",
)
