"""A regression of the reading times of Natural Stories on columns per word.

    pip install pandas statsmodels
    python making/experiments/reading_times/regression.py

It reads `words.tsv` and `predictors.csv`, which docs/how-to/reading-times.md makes.
Readers move on before they have finished a word, so each predictor also counts with its
value at the word before (spill-over). The first words of sentences and words with
punctuation, where readers pause for other reasons, are left out.
"""

import csv

import pandas
import statsmodels.formula.api as smf

words = pandas.read_table("words.tsv", quoting=csv.QUOTE_NONE)
words = words[words["item"] <= 8]
predictors = pandas.read_csv("predictors.csv").drop(columns="word")
table = words.merge(predictors, on=["item", "word_number"])
table["length"] = table["word"].str.replace(r"\W", "", regex=True).str.len()
columns = ["length", "log_freq", "gpt3", "surprisal", "entropy", "break_after"]
before = table.groupby("item")[["word", *columns]].shift()
table = table.join(before.add_suffix("_before"))
inside = ~table["word_before"].str.contains("[.?!]", na=True)
table = table[inside & table["word"].str.isalpha()].dropna(subset=["log_rt"])

formula = "log_rt ~ word_number + " + " + ".join(f"{c} + {c}_before" for c in columns)
found = smf.ols(formula, table).fit()
for name in columns:
    for term in (name, f"{name}_before"):
        effect, t = 100 * found.params[term], found.tvalues[term]
        print(f"{term:20}{effect:6.2f} %, t = {t:5.1f}")
