"""The forms of English verbs: regular ones, and a list of the others."""

import re

#: Plain form, past and participle, where these are no regular forms; the participle is
#: left out where it is the past.
_IRREGULAR = """
    be:was:been have:had do:did:done go:went:gone say:said get:got make:made
    know:knew:known think:thought take:took:taken see:saw:seen come:came:come
    find:found give:gave:given tell:told feel:felt become:became:become leave:left
    put:put mean:meant keep:kept let:let begin:began:begun show:showed:shown
    hear:heard run:ran:run hold:held bring:brought write:wrote:written sit:sat
    stand:stood lose:lost pay:paid meet:met set:set lead:led understand:understood
    speak:spoke:spoken read:read spend:spent grow:grew:grown win:won teach:taught
    buy:bought send:sent build:built fall:fell:fallen cut:cut sell:sold
    draw:drew:drawn choose:chose:chosen eat:ate:eaten break:broke:broken
    wear:wore:worn drive:drove:driven rise:rose:risen hit:hit cost:cost catch:caught
    fly:flew:flown forget:forgot:forgotten sing:sang:sung sink:sank:sunk
    swim:swam:swum drink:drank:drunk ring:rang:rung ride:rode:ridden hide:hid:hidden
    shake:shook:shaken throw:threw:thrown blow:blew:blown sleep:slept seek:sought
    fight:fought lend:lent lay:laid lie:lay:lain bend:bent bind:bound
    bite:bit:bitten bleed:bled burst:burst cast:cast cling:clung creep:crept
    deal:dealt dig:dug feed:fed flee:fled forbid:forbade:forbidden
    forgive:forgave:forgiven freeze:froze:frozen hang:hung hurt:hurt kneel:knelt
    light:lit quit:quit shed:shed shine:shone shoot:shot shrink:shrank:shrunk
    shut:shut slide:slid speed:sped spin:spun split:split spread:spread
    spring:sprang:sprung steal:stole:stolen stick:stuck sting:stung strike:struck
    swear:swore:sworn sweep:swept swing:swung tear:tore:torn wake:woke:woken
    weep:wept wind:wound overlook:overlooked
    bear:bore:born
    beat:beat:beaten bet:bet arise:arose:arisen behold:beheld befall:befell:befallen
    beset:beset bid:bid breed:bred broadcast:broadcast dwell:dwelt
    forecast:forecast forgo:forwent:forgone forsake:forsook:forsaken grind:ground
    hew:hewed:hewn input:input mow:mowed:mown offset:offset partake:partook:partaken
    prove:proved:proven rid:rid saw:sawed:sawn sew:sewed:sewn shear:sheared:shorn
    slay:slew:slain sling:slung slink:slunk slit:slit smite:smote:smitten
    sow:sowed:sown spit:spat stink:stank:stunk strew:strewed:strewn
    stride:strode:stridden string:strung strive:strove:striven swell:swelled:swollen
    thrust:thrust tread:trod:trodden typeset:typeset weave:wove:woven wring:wrung
"""
#: What such verbs may begin with: *overcome, foresee, rewrite*; but "relay" is another.
_PREFIXES = "fore inter mis out over re un under up with"
#: Pasts and participles beside regular ones.
_BESIDE = "burn:burnt dream:dreamt lean:leant leap:leapt learn:learnt smell:smelt"
_BESIDE += " spell:spelt spill:spilt spoil:spoilt plead:pled shave:shaven"
_ROWS = [row.split(":") for row in _IRREGULAR.split()]
_ROWS += [
    [prefix + form for form in row]
    for prefix in _PREFIXES.split()
    for row in _ROWS
    if prefix + row[0] != "relay"
]
_PAST = {row[0]: row[1] for row in _ROWS}
_BASES = {form: row[0] for row in reversed(_ROWS) for form in row[1:]}
_BASES |= {past: plain for plain, past in (row.split(":") for row in _BESIDE.split())}
_BASES |= dict.fromkeys(["am", "is", "are", "were", "being", "'m", "'re"], "be")
_BASES |= {"has": "have", "'ve": "have", "does": "do", "lay": "lie", "found": "find"}
_BASES |= {"bound": "bind"}
#: Verbs in *ie*, where others have *y*: *tied, ties, tying*.
_IE = "belie birdie die hie lie outvie retie tie underlie untie vie"
#: Verbs that get a k: *panicked*.
_WITH_K = "frolic garlic mimic panic picnic politic traffic"
#: Verbs of several syllables whose last consonant is doubled, as the last is stressed.
_DOUBLING = """
    admit permit commit submit omit prefer refer transfer occur control compel begin
    forget regret equip travel cancel fulfil label model level signal excel fuel
    acquit allot concur incur recur demur rebut handicap program diagram zigzag kidnap
    worship underpin imperil befog format abut disbar
"""
#: Ends of stems that lack their e: *mak(ing), arriv(ed), settl(ed), decid(ing)*.
_LACKS_E = re.compile(
    r".*(?:[vcu]|[bcdfgkpstz]l|[aeiou]g|[dlr]g|plung|[lnpr]s|[^aeo]at|cre?at|[aeiouy][sz]"
    r"|[^aeo]i[dlnrtz]|[^eo][au]r|(?:ign|l|st|ad)or|adher|rfer|ever|[^o]o[kdt]|lov"
    r"|[^aeo][ua][dl]|ced|ib|[mst]ak|[^aeo]ut|(?:pl|d|p)et|lop|[sc]ap|[uo]m|[^aeo]am"
    r"|ven|pon|^(?:[^aeiou]*|(?:dis)?agr|decr|guarant)e)$"
)
_KEEPS = re.compile(
    r".*(?:focus|[bdsmrf]it|limit|profit|credit|develop|gallop|oom|ruin|open|happen|even|recruit"
    r"|cover|favor|color|honor|labor|monitor|doctor|anchor|error|pilot|pivot|ballot"
    r"|murmur|[^aeiou]u?al|ran?dom|blossom|bottom|custom|fathom|accustom|inherit|visit"
    r"|augur|caucus|chorus|collar|combat|debut|dial|elicit|solicit|enliven|envelop|mortar"
    r"|parrot|pyramid|sever|sugar|suit|sulphur|tailor|trumpet|vacuum|wallop|bulletin"
    r"|exit|carpet|fruit|pencil|lever)$"
)
_SHORT = re.compile(r"[^aeiou]*(?:qu)?[aeiouy][bcdfgklmnprstvz]$")
_DOUBLED = ("add", "err", "butt", "purr", "boycott", "ebb")
#: Stems that lack their e as well.
_ADDED_E = """
    ach arrang aton attun aveng aw awak bast bath blasphem breath challeng chang clon
    cloth coher commun condon consol cring dislik disrob drows dy dynamit enthron
    exchang exhal expedit expung ey hast impal imped imping inhal interchang inton loath
    loung lung massacr nucleat ow pantomim past permeat persever prearrang rang rearrang
    rebuk regal reshap reveng rewrit scroung secret sheath silhouett sooth spong stamped
    su sublim supersed swath tast telephon telescop tipto underscor underwrit unsheath
    vouchsaf wast wreath writh
"""
_IE_WORDS = frozenset(_IE.split())
_WITH_K_WORDS = frozenset(_WITH_K.split())
_DOUBLING_WORDS = frozenset(_DOUBLING.split())
_ADDED_E_WORDS = frozenset(_ADDED_E.split())


def base(word: str, tag: str) -> str:
    """The plain form of a verb, of one of its forms and its tag."""
    word = word.lower().replace("\u2019", "'")
    if tag in ("VB", "VBP"):
        return (
            _BASES.get(word, word)
            if word in ("am", "are", "'m", "'re", "'ve")
            else word
        )
    if word in _BASES:
        return _BASES[word]
    stem = re.sub(r"(?:ied|ies|ying)$", "ie", word)
    if stem in _IE_WORDS:
        return stem
    stem = re.sub(r"k(?:ed|ing)$", "", word)
    if stem in _WITH_K_WORDS:
        return stem
    if word.endswith("ing"):
        return _with_e(word[:-3])
    if word.endswith("ied"):
        return word[:-3] + "y"
    if word.endswith("ed") and tag != "VBZ":
        return _with_e(word[:-2])
    if word.endswith("ies"):
        return word[:-3] + "y"
    if re.search(r"(?:ch|sh|ss|x|zz|o|caucus|chorus|focus|bias)es$", word):
        return word[:-1] if word[:-2] in _ADDED_E_WORDS else word[:-2]
    return word.removesuffix("s")


def _with_e(stem: str) -> str:
    """The plain form of a verb whose ending has gone: *mak*, *sitt*, *open*."""
    if re.search(r"[^aeiou]*[aeiouy]([bdgmnprt])\1$", stem) and stem not in _DOUBLED:
        return stem[:-1]
    if stem[:-1] in _DOUBLING_WORDS and stem[-1] == stem[-2]:
        return stem[:-1]
    if stem in _ADDED_E_WORDS or (
        _SHORT.fullmatch(stem) and not stem.endswith(("w", "x"))
    ):
        return stem + "e"
    if len(stem) > 2 and _LACKS_E.fullmatch(stem) and not _KEEPS.fullmatch(stem):
        return stem + "e"
    return stem


def inflected(verb: str, *, is_past: bool, is_plural: bool, is_first: bool) -> str:
    """A plain form in the past or present tense.

    Args:
        verb: The plain form.
        is_past: Whether it is in the past.
        is_plural: Whether its subject is in the plural, or "you".
        is_first: Whether its subject is "I".
    """
    if verb == "be" and is_past:
        return "were" if is_plural else "was"
    if verb == "be":
        return "am" if is_first else "are" if is_plural else "is"
    if is_past:
        return _past(verb)
    if is_plural or is_first:
        return verb
    if re.search(r"[^aeiou]y$", verb):
        return verb[:-1] + "ies"
    if verb == "have":
        return "has"
    return verb + ("es" if re.search(r"(?:ch|sh|s|x|z|o)$", verb) else "s")


def _past(verb: str) -> str:
    if verb in _PAST:
        return _PAST[verb]
    if verb.endswith("e"):
        return verb + "d"
    if re.search(r"[^aeiou]y$", verb):
        return verb[:-1] + "ied"
    if verb in _WITH_K_WORDS:
        return verb + "ked"
    if verb in _DOUBLING_WORDS or _SHORT.fullmatch(verb):
        return verb + verb[-1] + "ed"
    return verb + "ed"
