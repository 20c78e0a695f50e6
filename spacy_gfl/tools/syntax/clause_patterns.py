"""The patterns that clauses and their kinds are found by.

They follow the guidelines of the Penn Treebank, for trees without function tags and
traces.
"""

from functools import cache

from spacy_gfl.tools.query.patterns import PatternSet

#: Verbs that take a question for an object, by how their forms begin.
_ASKING = (
    "ask|wonder|kn[eo]w|see|saw|sa[iy]|tell|told|remember|forg[eo]t|learn|find|found"
    "|decid|determin|explain|underst|check|show|discuss|car[ei]|guess|doubt"
)
MACROS = rf"""
@ VERB MD|VB|VBD|VBG|VBN|VBP|VBZ|TO;
@ FINITE MD|VBD|VBP|VBZ;
@ BE (@VERB < i@/^(?:be|am|is|are|was|were|been|being|['’](?:s|m|re))$/);
@ NOUN NP|NX|NML|WHNP;
@ SENTENCE S|SINV|SQ|SBARQ;
@ THAT (IN|DT|WDT < i@/^(?:that|whether)$/ !$,, *);
@ WHEN (WHADVP << i@/^(?:when(?:ever)?|where(?:ver)?|while)$/);
@ WHO (WHNP|WHPP << i@/^(?:who|whom|whose|which|that)$/);
@ THAT-CLAUSE (SBAR [< @THAT | < (SBAR < @THAT)]);
@ WH-CLAUSE (SBAR [< /^WH/ | < (SBAR < /^WH/)]);
@ IF (IN < i@"if");
@ WHEN-CLAUSE (SBAR [< @WHEN|@IF | < (SBAR < @WHEN|@IF)]);
@ BARE-CLAUSE (SBAR !< IN|/^WH/|@THAT|SINV !< (SBAR < IN|/^WH/|@THAT));
@ ASKING (VP < (@VERB < i@/^(?:{_ASKING})/));
"""
#: What clauses are found by, and their kinds.
PATTERNS = {
    # The head of a clause: what has the subject and the verb, or a participle alone.
    "clause": """
        S|SINV|SQ < VP;
        SINV|SQ < @VERB;
        VP > @NOUN|RRC [< VBG|VBN | !< @VERB < (VP < VBG|VBN)]
    """,
    # Coordinations, whose parts are clauses.
    "coordination": """
        S|SINV|SQ !< VP|@VERB < (@SENTENCE $.. @SENTENCE);
        SBARQ !< /^WH/ < (@SENTENCE $.. @SENTENCE);
        SBAR !< @SENTENCE < (SBAR $.. SBAR)
    """,
    # Parts of a coordination whose first part is the clause around them.
    "added": "S $, CC $,, VP !$,, S > S",
    # Verb phrases that say something new of the subject of the one before: they have a
    # finite verb of their own, or are imperatives. What is tagged as a plain form or
    # a participle after a verb without auxiliaries is finite: "opened and let".
    "coordinate": """
        VP $,, VP [< @FINITE | !< @VERB < (VP < @FINITE)] > (VP !< @VERB);
        VP $,, VP < VB !< TO > (VP !< @VERB > (S !< NP > ROOT));
        VP $,, (VP < VBD|VBP|VBZ !< VP) < VB !< TO > (VP !< @VERB);
        VP $,, (VP < VBD|VBP|VBZ !< VP !< @BE) < VBN !< VP > (VP !< @VERB)
    """,
    # Kinds that the form of a clause tells, asked of its head.
    "infinitival": """
        S < (VP [< TO | !< @VERB < (VP < TO)]);
        S < (VP < VB !< TO) > VP $, @VERB
    """,
    "participial": """
        S < (VP [< VBG|VBN | !< @VERB < (VP < VBG|VBN)]) [!> ROOT | !< NP];
        VP > @NOUN|RRC
    """,
    # Kinds that the place of a finite clause tells, asked of the clause with its
    # conjunction or wh-phrase. The first that holds is the kind.
    "question": "SBARQ; SQ !< (S $.. SQ)",
    "main": "S|SINV|SQ > ROOT|PRN|FRAG|X; @THAT-CLAUSE|@WH-CLAUSE|@BARE-CLAUSE > ROOT",
    "relative": """
        @WH-CLAUSE > @NOUN $,, *;
        @BARE-CLAUSE > @NOUN $,, @NOUN;
        SBAR < @THAT < (S !< @NOUN|SBAR) > @NOUN $,, @NOUN;
        SBAR < @WHO [$, "," | $, NP] [> S | > VP !> @ASKING]
    """,
    "complement": """
        @THAT-CLAUSE|@BARE-CLAUSE !> ADVP !<, ADVP|ADJP
            !$,, (ADVP|ADJP|NP|RB <<, i@/^(?:so|such)$/)
            ![<<, i@"whether" > S $. "," $.. NP];
        @WH-CLAUSE !< @WHEN !< (SBAR < @WHEN) ![> S $. "," $.. NP];
        @WHEN-CLAUSE > @ASKING|PP|ADJP;
        @WHEN-CLAUSE $. (VP < @FINITE) > (S !< NP !$, WHNP);
        SBAR < (WHADVP << i@"where") $, @BE;
        S > VP|NP|ADJP; S > (@SENTENCE < VP|@VERB)
    """,
    "adverbial": "SBAR; S > PP|ADVP; SINV > @SENTENCE|SBAR",
}


@cache
def clause_patterns() -> PatternSet:
    """The patterns, read when they are first asked for: that takes time."""
    return PatternSet(MACROS, PATTERNS)
