// Guides come before pages about modules (`html_search_scorer`).
var Scorer = {
  score: ([page, title, anchor, description, score]) =>
    page.startsWith("reference/modules") ? score - 100 : score,
  // What Sphinx has otherwise.
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
