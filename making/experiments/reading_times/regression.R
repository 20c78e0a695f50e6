# A mixed model of the reading times of Natural Stories, with and without surprisal.
#
#     Rscript making/experiments/reading_times/regression.R
#
# Reads words.tsv, predictors.csv and the corpus's folder naturalstories, which
# docs/how-to/reading-times.md makes. Each reader and each word has an intercept, and
# each reader a slope. Not tested.

library(lme4)
words <- read.delim("words.tsv", quote = "")
predictors <- read.csv("predictors.csv")
predictors$word <- NULL
d <- merge(words, predictors, by = c("item", "word_number"))
d$length <- nchar(gsub("\\W", "", d$word, perl = TRUE))
d <- d[order(d$item, d$word_number), ]
back <- function(x) ave(x, d$item, FUN = function(v) c(NA, head(v, -1)))
for (name in c("length", "log_freq", "gpt3", "surprisal")) {
  d[[name]] <- as.numeric(scale(d[[name]]))
  d[[paste0(name, "_before")]] <- back(d[[name]])
}
d <- d[grepl("^[A-Za-z]+$", d$word) & d$position > 1, ]
times <- read.delim("naturalstories/naturalstories_RTS/processed_RTs.tsv", quote = "")
d <- merge(times[c("WorkerId", "item", "zone", "RT")], d,
           by.x = c("item", "zone"), by.y = c("item", "word_number"))
base <- lmer(log(RT) ~ zone + length + length_before + log_freq + log_freq_before +
               gpt3 + gpt3_before + (1 | WorkerId) + (1 | item:zone), d, REML = FALSE)
full <- update(base, . ~ . + surprisal + surprisal_before + (0 + surprisal | WorkerId))
anova(base, full)
