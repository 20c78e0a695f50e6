"""`python -m spacy_gfl`: the command line, where `spacy-gfl` is not on the path."""

from spacy_gfl_command import main

if __name__ == "__main__":
    main()
