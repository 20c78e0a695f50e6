"""Trees of the common scheme out of dependencies, rule by rule."""

import re

import pytest
from helpers.reading import ROOT
from spacy.vocab import Vocab

from spacy_gfl.annotation.dependencies import spans_from_dependencies
from spacy_gfl.languages import find_language
from spacy_gfl.tools.treebanks.dependency_blocks import DependencyError, Word
from spacy_gfl.tools.treebanks.formats.conllu import read_docs
from spacy_gfl.tools.treebanks.formats.reading import Reading
from spacy_gfl.tools.treebanks.from_dependencies import tree_from_dependencies
from spacy_gfl.trees.tree import Tree

#: A language and its words, each with tag, relation and number of its head from 1
#: (0 for the root), and the tree without tags.
EXAMPLES = """
en | the/DET/det/3 old/ADJ/amod/3 house/NOUN/nsubj/6 of/ADP/case/5 Ana/PROPN/nmod/3
      burned/VERB/root/0
    | (S (NP the old house (PP of (NP Ana))) (VP burned))
en | sleeps/VERB/root/0 right/ADV/advmod/5 in/ADP/case/5 the/DET/det/5 garden/NOUN/obl/1
    | (S (VP sleeps (PP (ADVP right) in (NP the garden))))
fi | nukkuu/VERB/root/0 talon/NOUN/obl/1 edessä/ADP/case/2
    | (S (VP nukkuu (PP (NP talon) edessä)))
en | Ana/PROPN/nmod:poss/3 's/PART/case/1 dog/NOUN/nsubj/4 sleeps/VERB/root/0
    | (S (NP (NP Ana 's) dog) (VP sleeps))
ja | 犬/NOUN/nsubj/5 が/ADP/case/1 骨/NOUN/obj/5 を/ADP/case/3 食べる/VERB/root/0
    | (S (NP 犬 が) (VP (NP 骨 を) 食べる))
en | She/PRON/nsubj/4 has/AUX/aux/4 often/ADV/advmod/4 seen/VERB/root/0 the/DET/det/6
      sea/NOUN/obj/4 ./PUNCT/punct/4
    | (S (NP She) (VP has (ADVP often) seen (NP the sea)) .)
en | Never/ADV/advmod/2 sleep/VERB/root/0 there/ADV/advmod/2 !/PUNCT/punct/2
    | (S (ADVP Never) (VP sleep (ADVP there)) !)
en | Has/AUX/aux/3 she/PRON/nsubj/3 seen/VERB/root/0 the/DET/det/5 sea/NOUN/obj/3
      ?/PUNCT/punct/3
    | (S Has (NP she) (VP seen (NP the sea)) ?)
de | Gestern/ADV/advmod/2 las/VERB/root/0 der/DET/det/4 Lehrer/NOUN/nsubj/2
      das/DET/det/6 Buch/NOUN/obj/2 ./PUNCT/punct/2
    | (S (ADVP Gestern) (VP las) (NP der Lehrer) (NP das Buch) .)
en | Ana/PROPN/nsubj/4 is/AUX/cop/4 a/DET/det/4 doctor/NOUN/root/0 in/ADP/case/6
      Rome/PROPN/nmod/4 ./PUNCT/punct/4
    | (S (NP Ana) (VP is (NP a doctor (PP in (NP Rome)))) .)
ru | Анна/PROPN/nsubj/2 врач/NOUN/root/0 ./PUNCT/punct/2
    | (S (NP Анна) (NP врач) .)
en | She/PRON/nsubj/2 said/VERB/root/0 that/SCONJ/mark/5 he/PRON/nsubj/5
      came/VERB/ccomp/2
    | (S (NP She) (VP said (SBAR that (S (NP he) (VP came)))))
ja | 雨/NOUN/nsubj/3 が/ADP/case/1 降れ/VERB/advcl/5 ば/SCONJ/mark/3 寝る/VERB/root/0
    | (S (SBAR (S (NP 雨 が) (VP 降れ)) ば) (VP 寝る))
en | She/PRON/nsubj/2 said/VERB/root/0 he/PRON/nsubj/4 came/VERB/ccomp/2
    | (S (NP She) (VP said (S (NP he) (VP came))))
en | the/DET/det/2 man/NOUN/root/0 who/PRON/nsubj/4 slept/VERB/acl:relcl/2
    | (NP the man (SBAR who (VP slept)))
de | ein/DET/det/2 Haus/NOUN/root/0 ,/PUNCT/punct/7 in/ADP/case/5 dem/PRON/obl/7
      wir/PRON/nsubj/7 schliefen/VERB/acl:relcl/2
    | (NP ein Haus , (SBAR (WHPP in dem) (S (NP wir) (VP schliefen))))
en | the/DET/det/2 man/NOUN/root/0 I/PRON/nsubj/4 saw/VERB/acl:relcl/2
    | (NP the man (S (NP I) (VP saw)))
zh | 我/PRON/nsubj/2 買/VERB/acl:relcl/4 的/SCONJ/mark:rel/2 書/NOUN/root/0
    | (NP (SBAR (S (NP 我) (VP 買)) 的) 書)
en | I/PRON/nsubj/2 know/VERB/root/0 which/DET/det/4 book/NOUN/obj/6 she/PRON/nsubj/6
      read/VERB/ccomp/2
    | (S (NP I) (VP know (SBAR (WHNP which book) (S (NP she) (VP read)))))
pl | Jaki/DET/det/2 film/NOUN/obj/3 widział/VERB/root/0 Jan/PROPN/nsubj/3
      ?/PUNCT/punct/3
    | (S (WHNP Jaki film) (S (VP widział) (NP Jan)) ?)
en | She/PRON/nsubj/2 wants/VERB/root/0 to/PART/mark/4 read/VERB/xcomp/2 it/PRON/obj/4
    | (S (NP She) (VP wants (VP to read (NP it))))
en | after/SCONJ/mark/2 sleeping/VERB/advcl/5 ,/PUNCT/punct/2 she/PRON/nsubj/5
      left/VERB/root/0
    | (S (SBAR after (VP sleeping)) , (NP she) (VP left))
fr | Elle/PRON/nsubj/2 part/VERB/root/0 pour/ADP/mark/4 lire/VERB/advcl/2 le/DET/det/6
      livre/NOUN/obj/4
    | (S (NP Elle) (VP part (PP pour (VP lire (NP le livre)))))
en | a/DET/det/2 book/NOUN/root/0 written/VERB/acl/2 by/ADP/case/5 Ana/PROPN/obl/3
    | (NP a book (VP written (PP by (NP Ana))))
de | der/DET/det/4 laut/ADV/advmod/3 bellende/ADJ/amod/4 Hund/NOUN/root/0
    | (NP der (ADJP laut bellende) Hund)
en | old/ADJ/amod/2 men/NOUN/nsubj/5 and/CCONJ/cc/4 women/NOUN/conj/2 slept/VERB/root/0
    | (S (NP old men and women) (VP slept))
en | my/PRON/nmod:poss/2 dog/NOUN/nsubj/6 and/CCONJ/cc/5 your/PRON/nmod:poss/5
      cat/NOUN/conj/2 sleep/VERB/root/0
    | (S (NP (NP my dog) and (NP your cat)) (VP sleep))
es | en/ADP/case/2 casa/NOUN/obl/6 y/CCONJ/cc/5 en/ADP/case/5 clase/NOUN/conj/2
      duerme/VERB/root/0
    | (S (PP (PP en (NP casa)) y (PP en (NP clase))) (VP duerme))
en | She/PRON/nsubj/3 will/AUX/aux/3 come/VERB/root/0 and/CCONJ/cc/5 see/VERB/conj/3
      it/PRON/obj/5
    | (S (NP She) (VP will come and (VP see (NP it))))
de | Er/PRON/nsubj/2 kam/VERB/root/0 und/CCONJ/cc/5 sie/PRON/nsubj/5 ging/VERB/conj/2
    | (S (S (NP Er) (VP kam)) und (S (NP sie) (VP ging)))
en | more/ADJ/advmod/3 than/ADP/fixed/1 ten/NUM/nummod/4 years/NOUN/root/0
    | (NP (QP (ADJP more than) ten) years)
zh | 三/NUM/nummod/3 本/NOUN/clf/1 書/NOUN/root/0
    | (NP 三 本 書)
en | so/ADV/advmod/2 quickly/ADV/advmod/3 left/VERB/root/0
    | (S (ADVP so quickly) (VP left))
ru | он/PRON/nsubj/3 не/PART/advmod/3 спит/VERB/root/0
    | (S (NP он) (VP не спит))
en | Ana/PROPN/nsubj/6 ,/PUNCT/punct/4 my/PRON/nmod:poss/4 sister/NOUN/appos/1
      ,/PUNCT/punct/4 slept/VERB/root/0
    | (S (NP Ana , (NP my sister)) , (VP slept))
cs | město/NOUN/root/0 Nový/PROPN/flat/1 Bor/PROPN/flat/1
    | (NP město Nový Bor)
en | It/PRON/nsubj/2 rained/VERB/root/0 :/PUNCT/punct/5 we/PRON/nsubj/5
      stayed/VERB/parataxis/2 ./PUNCT/punct/2
    | (S (S (NP It) (VP rained)) : (S (NP we) (VP stayed)) .)
pt | Bem/INTJ/discourse/5 ,/PUNCT/punct/1 Ana/PROPN/vocative/5 ,/PUNCT/punct/3
      durma/VERB/root/0 !/PUNCT/punct/5
    | (S Bem , (NP Ana) , (VP durma) !)
en | No/DET/det/2 idea/NOUN/root/0 ,/PUNCT/punct/4 sorry/INTJ/discourse/2
      ./PUNCT/punct/2
    | (FRAG (NP No idea) , sorry .)
ro | Bună/ADJ/amod/2 ziua/NOUN/root/0 !/PUNCT/punct/2
    | (NP Bună ziua !)
en | Oslo/PROPN/root/0 (/PUNCT/punct/3 1952/NUM/nmod/1 )/PUNCT/punct/3
    | (NP Oslo (PRN -LRB- 1952 -RRB-))
en | What/PRON/obj/6 do/AUX/aux/4 you/PRON/nsubj/4 want/VERB/root/0 to/PART/mark/6
      read/VERB/xcomp/4 ?/PUNCT/punct/4
    | (S (NP What) (S do (NP you) (VP want (VP to read))) ?)
de | Ein/DET/det/2 Mann/NOUN/nsubj/3 kam/VERB/root/0 ,/PUNCT/punct/6 der/PRON/nsubj/6
      schlief/VERB/acl:relcl/2
    | (S (NP Ein Mann) (VP kam , (SBAR der (VP schlief))))
it | un/DET/det/2 ragazzo/NOUN/root/0 il/DET/det/5 cui/PRON/nmod:poss/5
      padre/NOUN/nsubj/7 è/AUX/cop/7 medico/NOUN/acl:relcl/2
    | (NP un ragazzo (SBAR (WHNP il cui padre) (VP è (NP medico))))
en | the/DET/det/2 house/NOUN/root/0 the/DET/det/4 roof/NOUN/nsubj/7 of/ADP/case/6
      which/PRON/nmod/4 burned/VERB/acl:relcl/2
    | (NP the house (SBAR (WHNP the roof (PP of (NP which))) (VP burned)))
de | Wie/ADV/advmod/2 alt/ADJ/root/0 ist/AUX/cop/2 er/PRON/nsubj/2 ?/PUNCT/punct/2
    | (S (WHADJP Wie alt) (S (VP ist) (NP er)) ?)
en | five/NUM/nummod/4 to/ADP/case/3 ten/NUM/nmod/1 years/NOUN/root/0
    | (NP (QP five to ten) years)
de | Gestern/ADV/advmod/4 hat/AUX/aux/4 er/PRON/nsubj/4 geschlafen/VERB/root/0
    | (S (ADVP Gestern) hat (NP er) (VP geschlafen))
"""
_EXAMPLE = re.compile(r"(\w\w) \| (.*)\n    \| (.*)")
#: What the page does not show.
MORE = """
de | das/DET/det/3 alte/ADJ/amod/3 Haus/NOUN/nsubj/5 Anas/PROPN/nmod/3
      brannte/VERB/root/0
    | (S (NP das alte Haus Anas) (VP brannte))
pl | stary/ADJ/amod/2 dom/NOUN/nsubj/4 Anny/PROPN/nmod/2 spłonął/VERB/root/0
    | (S (NP stary dom Anny) (VP spłonął))
ja | 庭/NOUN/obl/3 で/ADP/case/1 寝る/VERB/root/0
    | (S (PP (NP 庭) で) (VP 寝る))
fa | کتاب/NOUN/obj/3 را/ADP/case/1 خواند/VERB/root/0 ./PUNCT/punct/3
    | (S (VP (NP کتاب را) خواند) .)
fr | Elle/PRON/nsubj/3 a/AUX/aux/3 vu/VERB/root/0 la/DET/det/5 mer/NOUN/obj/3
      ./PUNCT/punct/3
    | (S (NP Elle) (VP a vu (NP la mer)) .)
tr | Ayşe/PROPN/nsubj/3 denizi/NOUN/obj/3 gördü/VERB/root/0 ./PUNCT/punct/3
    | (S (NP Ayşe) (VP (NP denizi) gördü) .)
es | Ayer/ADV/advmod/2 compró/VERB/root/0 un/DET/det/4 libro/NOUN/obj/2 ./PUNCT/punct/2
    | (S (ADVP Ayer) (VP compró (NP un libro)) .)
pl | Kupiła/VERB/root/0 książkę/NOUN/obj/1 ./PUNCT/punct/1
    | (S (VP Kupiła (NP książkę)) .)
es | Ayer/ADV/advmod/2 vino/VERB/root/0 Juan/PROPN/nsubj/2 ./PUNCT/punct/2
    | (S (ADVP Ayer) (VP vino) (NP Juan) .)
de | Ana/PROPN/nsubj/4 ist/AUX/cop/4 sehr/ADV/advmod/4 stolz/ADJ/root/0 auf/ADP/case/6
      ihn/PRON/obl/4 ./PUNCT/punct/4
    | (S (NP Ana) (VP ist (ADJP sehr stolz (PP auf (NP ihn)))) .)
nl | omdat/SCONJ/mark/3 hij/PRON/nsubj/3 sliep/VERB/advcl/4 bleef/VERB/root/0
      ze/PRON/nsubj/4
    | (S (SBAR omdat (S (NP hij) (VP sliep))) (VP bleef) (NP ze))
de | Sie/PRON/nsubj/2 sagt/VERB/root/0 ,/PUNCT/punct/5 er/PRON/nsubj/5
      komme/VERB/ccomp/2
    | (S (NP Sie) (VP sagt , (S (NP er) (VP komme))))
tr | Ali/PROPN/nsubj/2 gelirse/VERB/advcl/3 gideriz/VERB/root/0
    | (S (S (NP Ali) (VP gelirse)) (VP gideriz))
es | la/DET/det/2 mujer/NOUN/root/0 cuyo/DET/det/4 hijo/NOUN/nsubj/5
      duerme/VERB/acl:relcl/2
    | (NP la mujer (SBAR (WHNP cuyo hijo) (VP duerme)))
sv | mannen/NOUN/root/0 jag/PRON/nsubj/3 såg/VERB/acl:relcl/1
    | (NP mannen (S (NP jag) (VP såg)))
it | Non/ADV/advmod/2 so/VERB/root/0 dove/ADV/advmod/4 dorme/VERB/ccomp/2
    | (S (ADVP Non) (VP so (SBAR dove (VP dorme))))
fr | Elle/PRON/nsubj/2 commence/VERB/root/0 à/ADP/mark/4 lire/VERB/xcomp/2
    | (S (NP Elle) (VP commence (VP à lire)))
de | Sie/PRON/nsubj/2 hofft/VERB/root/0 ,/PUNCT/punct/6 Geld/NOUN/obj/6 zu/PART/mark/6
      sparen/VERB/xcomp/2
    | (S (NP Sie) (VP hofft , (VP (NP Geld) zu sparen)))
de | um/SCONJ/mark/4 Geld/NOUN/obj/4 zu/PART/mark/4 sparen/VERB/advcl/5
      bleibt/VERB/root/0 sie/PRON/nsubj/5
    | (S (SBAR um (VP (NP Geld) zu sparen)) (VP bleibt) (NP sie))
ru | книга/NOUN/root/0 ,/PUNCT/punct/3 написанная/VERB/acl/1 Анной/PROPN/obl/3
    | (NP книга , (VP написанная (NP Анной)))
de | kurze/ADJ/amod/4 und/CCONJ/cc/3 klare/ADJ/conj/1 Sätze/NOUN/root/0
    | (NP (ADJP kurze und klare) Sätze)
id | ayah/NOUN/nsubj/4 dan/CCONJ/cc/3 ibu/NOUN/conj/1 tidur/VERB/root/0
    | (S (NP ayah dan ibu) (VP tidur))
pl | cichy/ADJ/amod/5 i/CCONJ/cc/4 bardzo/ADV/advmod/4 stary/ADJ/conj/1 dom/NOUN/root/0
    | (NP (ADJP cichy i (ADJP bardzo stary)) dom)
fr | Elle/PRON/nsubj/2 vient/VERB/root/0 ici/ADV/advmod/2 et/CCONJ/cc/5
      voit/VERB/conj/2 Ana/PROPN/obj/5
    | (S (NP Elle) (VP (VP vient (ADVP ici)) et (VP voit (NP Ana))))
fr | presque/ADV/advmod/2 dix/NUM/nummod/3 ans/NOUN/root/0
    | (NP (QP presque dix) ans)
de | er/PRON/nsubj/2 schläft/VERB/root/0 nicht/PART/advmod/2
    | (S (NP er) (VP schläft (ADVP nicht)))
it | Ana/PROPN/nsubj/6 ,/PUNCT/punct/4 mia/DET/det/4 sorella/NOUN/appos/1
      ,/PUNCT/punct/4 dorme/VERB/root/0
    | (S (NP Ana , (NP mia sorella)) , (VP dorme))
de | „/PUNCT/punct/3 Ich/PRON/nsubj/3 schlafe/VERB/ccomp/6 “/PUNCT/punct/3
      ,/PUNCT/punct/3 sagte/VERB/root/0 er/PRON/nsubj/6 ./PUNCT/punct/6
    | (S „ (S (NP Ich) (VP schlafe)) “ , (VP sagte) (NP er) .)
de | Guten/ADJ/amod/2 Morgen/NOUN/root/0 ,/PUNCT/punct/4 Ana/PROPN/vocative/2
      !/PUNCT/punct/2
    | (FRAG (NP Guten Morgen) , Ana !)
fr | Oslo/PROPN/root/0 [/PUNCT/punct/4 en/ADP/case/4 1952/NUM/nmod/1 ]/PUNCT/punct/4
    | (NP Oslo (PRN [ (PP en (NP 1952)) ]))
zh | 奧斯陸/PROPN/root/0 （/PUNCT/punct/4 挪威/PROPN/compound/4 首都/NOUN/appos/1
      ）/PUNCT/punct/4
    | (NP 奧斯陸 (PRN （ (NP 挪威 首都) ）))
nl | Wat/PRON/obj/4 wil/AUX/aux/4 je/PRON/nsubj/4 lezen/VERB/root/0 ?/PUNCT/punct/4
    | (S (NP Wat) (S wil (NP je) (VP lezen)) ?)
en | of/ADP/case/3 more/ADJ/advmod/3 ten/NUM/nmod/4 years/NOUN/root/0
    | (NP (PP of (QP more ten)) years)
en | what/PRON/root/0 she/PRON/nsubj/1 is/AUX/cop/1 ?/PUNCT/punct/1
    | (S (NP what) (S (NP she) (VP is)) ?)
en | as/ADV/cc/4 well/ADV/fixed/1 as/ADP/fixed/1 women/NOUN/root/0
    | (NP (CONJP as well as) women)
tr | hayal/NOUN/root/0 kurar/VERB/compound/1 Ali/PROPN/nsubj/1
    | (S (VP (NP hayal) kurar) (NP Ali))
ko | 집을/NOUN/obj/2 짓고/CCONJ/advcl/3 잔다/VERB/root/0
    | (S (VP (NP 집을) 짓고) 잔다)
is | hún/PRON/nsubj/2 fór/VERB/root/0 til/ADP/mark/5 að/PART/fixed/3 sofa/VERB/advcl/2
    | (S (NP hún) (VP fór (PP til (VP að sofa))))
ja | 使っ/VERB/root/0 て/SCONJ/mark/1 いる/VERB/fixed/2 。/PUNCT/punct/1
    | (S (VP 使っ て いる) 。)
en | "/PUNCT/punct/2 Go/VERB/root/0 "/PUNCT/punct/2 ./PUNCT/punct/2
    | (S " (VP Go) " .)
en | He/PRON/nsubj/2 said/VERB/root/0 “/PUNCT/punct/5 so/ADV/advmod/5 long/ADV/obj/2
      ”/PUNCT/punct/5
    | (S (NP He) (VP said “ (ADVP so long) ”))
en | ***/PUNCT/root/0
    | (FRAG ***)
en | She/PRON/nsubj/3 and/CCONJ/cc/3 tea/NOUN/root/0 cold/ADJ/orphan/3
    | (S (NP She) and (NP tea) (ADJP cold))
es | una/DET/det/2 mesa/NOUN/root/0 en/ADP/case/5 la/DET/det/5 que/PRON/obl/6
      estaban/VERB/acl:relcl/2 los/DET/det/8 libros/NOUN/nsubj/6
    | (NP una mesa (SBAR (WHPP en (NP la que)) (S (VP estaban) (NP los libros))))
fr | la/DET/det/2 salle/NOUN/root/0 à/ADP/case/5 la/DET/det/5 fin/NOUN/obl/8
      de/ADP/case/7 laquelle/PRON/nmod/5 dort/VERB/acl:relcl/2
    | (NP la salle (SBAR (WHPP à (NP la fin (PP de (NP laquelle)))) (VP dort)))
ro | bărbatul/NOUN/root/0 a/DET/det/3 cărui/PRON/nmod/4 mașină/NOUN/nsubj/5
      arde/VERB/acl/1
    | (NP bărbatul (SBAR (WHNP (NP a cărui) mașină) (VP arde)))
ru | человек/NOUN/root/0 с/ADP/case/4 братом/NOUN/obl/6 которого/PRON/nmod/3
      я/PRON/nsubj/6 говорил/VERB/acl:relcl/1
    | (NP человек (SBAR (WHPP с (NP братом которого)) (S (NP я) (VP говорил))))
en | a/DET/det/2 book/NOUN/root/0 the/DET/det/4 teacher/NOUN/nsubj/5
      wrote/VERB/acl:relcl/2
    | (NP a book (S (NP the teacher) (VP wrote)))
fr | Quelle/DET/det/2 heure/NOUN/root/0 est/AUX/cop/2 -il/PRON/nsubj/2 ?/PUNCT/punct/2
    | (S (WHNP Quelle heure) (S (VP est) (NP -il)) ?)
de | Ich/PRON/nsubj/2 weiß/VERB/root/0 ,/PUNCT/punct/6 in/ADP/case/6 welcher/DET/det/6
      Stadt/NOUN/ccomp/2 er/PRON/nsubj/6 ist/AUX/cop/6
    | (S (NP Ich) (VP weiß , (SBAR (WHPP in (NP welcher Stadt)) (S (NP er) (VP ist)))))
de | In/ADP/case/3 der/DET/det/3 Stadt/NOUN/root/0 bin/AUX/cop/3 ich/PRON/nsubj/3
    | (S (VP (PP In (NP der Stadt)) bin) (NP ich))
es | antes/ADV/advmod/5 de/ADP/case/4 ser/AUX/cop/4 médico/NOUN/advcl/5
      dormía/VERB/root/0
    | (S (ADVP antes) (PP de (VP ser (NP médico))) (VP dormía))
es | «/PUNCT/punct/2 Vendré/VERB/ccomp/6 tarde/ADV/advmod/2 »/PUNCT/punct/2
      ,/PUNCT/punct/2 dijo/VERB/root/0 Ana/PROPN/nsubj/6 ./PUNCT/punct/6
    | (S « (VP Vendré (ADVP tarde)) » , (VP dijo) (NP Ana) .)
fr | Il/PRON/expl:subj/3 y/PRON/expl/3 a/VERB/root/0 un/DET/det/5 chat/NOUN/obj/3
    | (S (NP Il) (VP (NP y) a (NP un chat)))
fr | beaucoup/ADV/nsubj/4 de/ADP/case/3 gens/NOUN/nmod/1 dorment/VERB/root/0
    | (S (NP beaucoup (PP de (NP gens))) (VP dorment))
es | Ana/PROPN/nsubj/3 le/PRON/obl:arg/3 escribe/VERB/root/0
    | (S (NP Ana) (VP (NP le) escribe))
es | muy/ADV/advmod/2 pocas/DET/det/3 personas/NOUN/root/0
    | (NP (ADJP muy pocas) personas)
en | five/NUM/nummod/4 or/CCONJ/cc/3 ten/NUM/conj/1 years/NOUN/root/0
    | (NP (QP five or ten) years)
ru | любит/VERB/root/0 толстых/ADJ/obj/1 и/CCONJ/cc/4 худых/ADJ/conj/2 людей/NOUN/nmod/4
    | (S (VP любит (NP толстых и (NP худых людей))))
gl | guerra/NOUN/root/0 en/ADP/case/3 2013/NUM/nummod/1
    | (NP guerra (PP en (NP 2013)))
fr | la/DET/det/2 femme/NOUN/root/0 dont/ADP/nmod/5 la/DET/det/5 fille/NOUN/nsubj/6
      dort/VERB/acl:relcl/2
    | (NP la femme (SBAR (WHNP dont la fille) (VP dort)))
fr | un/DET/det/2 livre/NOUN/root/0 dont/ADP/obl/5 je/PRON/nsubj/5
      parle/VERB/acl:relcl/2
    | (NP un livre (SBAR dont (S (NP je) (VP parle))))
de | Wohl/ADV/advmod/2 schläft/VERB/root/0 Ana/PROPN/nsubj/2
    | (S (ADVP Wohl) (VP schläft) (NP Ana))
fi | sanoi/VERB/root/0 minä/PRON/nsubj/3 nukun/VERB/ccomp/1
    | (S (VP sanoi (S (NP minä) (VP nukun))))
de | zwischen/ADP/case/2 fünf/NUM/nummod/5 und/CCONJ/cc/4 zehn/NUM/conj/2
      Jahre/NOUN/root/0
    | (NP (QP zwischen fünf und zehn) Jahre)
""".strip()


def words_of(text):
    words = []
    for at, given in enumerate(text.split()):
        form, tag, relation, head = given.rsplit("/", 3)
        words.append(Word(form, tag, relation, int(head) - 1 if int(head) else at))
    return words


def untagged(tree):
    return re.sub(r"\([A-Z]+ ([^() ]+)\)", r"\1", tree.brackets())


def examples(text):
    lines = text.replace("\n      ", " ")
    return [found.groups() for found in _EXAMPLE.finditer(lines)]


@pytest.mark.parametrize(("lang", "given", "wanted"), examples(EXAMPLES + MORE))
def test_each_rule_gives_its_constituents(lang, given, wanted):
    tree = tree_from_dependencies(words_of(given), find_language(lang))
    brackets = {"-LRB-": "(", "-RRB-": ")"}
    assert [brackets.get(word, word) for word in tree.words] == [
        brackets.get(word.text, word.text) for word in words_of(given)
    ]
    assert [word.tag for word in words_of(given)] == list(tree.tags)
    # Words that have a phrase of their own have brackets; all others have none.
    assert untagged(tree) == wanted


def test_the_page_shows_these_examples_and_no_other():
    rules = (ROOT / "making" / "treebank" / "dependencies.md").read_text("utf-8")
    shown = [
        example if example[2:4] == ": " else f"en: {example}"
        for row in rules.splitlines()
        if row.startswith("| **")
        for example in row.split(" | ")[1].strip(" |").split("<br>")
    ]
    assert sorted(shown) == sorted(
        f"{lang}: {tree}" for lang, _, tree in examples(EXAMPLES)
    )


def test_a_page_of_a_treebank_has_the_constituents_that_its_dependencies_ask_for():
    rows = []
    for lang, given, _ in examples(EXAMPLES + MORE):
        for at, word in enumerate(words_of(given), start=1):
            head = 0 if word.head == at - 1 else word.head + 1
            form = (word.text, "_", word.tag, "_", "_", str(head), word.relation)
            rows.append("\t".join((str(at), *form, "_", "_")) + "\n")
        rows.append("\n")
        assert lang
    docs = list(read_docs(Reading(given=rows), Vocab()))
    asked = found = 0
    for doc in docs:
        extents = {(span.start, span.end) for span in doc.spans["constituents"]}
        required = {(span.start, span.end) for span in spans_from_dependencies(doc)}
        asked, found = asked + len(required), found + len(required & extents)
    assert asked > 50
    assert found >= 0.95 * asked


@pytest.mark.parametrize(
    ("given", "at", "message"),
    [
        ("a/NOUN/root/0 b/NOUN/root/0", 1, "a second word, 'b', has no head"),
        ("a/NOUN/obj/2 b/NOUN/obj/1", 0, "no word is the root"),
        ("a/NOUN/root/0 b/NOUN/obj/9", 1, "there is no word 8, which 'b' depends on"),
        ("", 0, "no word is the root"),
        ("a/NOUN/root/0 b/NOUN/obj/3 c/NOUN/obj/2", 1, "'b' go in a circle"),
    ],
)
def test_heads_that_are_no_tree_are_refused_with_their_word(given, at, message):
    with pytest.raises(DependencyError, match=message) as caught:
        tree_from_dependencies(words_of(given), find_language("xx"))
    assert caught.value.at == at


@pytest.mark.parametrize(
    "shape", ["chain", "flat", "crossing", "brackets", "conjuncts"]
)
def test_a_sentence_of_any_shape_and_length_has_a_tree(shape):
    n = 3_000
    heads = {
        "chain": lambda at: max(0, at - 1),
        "flat": lambda at: 0,
        # Each word depends on the one two before, so that all arcs cross.
        "crossing": lambda at: max(0, at - 2),
        "brackets": lambda at: 0,
        "conjuncts": lambda at: max(0, at - 1),
    }[shape]
    relation = {"brackets": "punct", "conjuncts": "conj"}.get(shape, "nmod")
    words = [
        Word("()"[at % 2] if relation == "punct" else "a", "NOUN", relation, heads(at))
        for at in range(n)
    ]
    words[0] = words[0]._replace(relation="root")
    tree = tree_from_dependencies(words, find_language("xx"))
    assert isinstance(tree, Tree)
    assert len(tree) == n
