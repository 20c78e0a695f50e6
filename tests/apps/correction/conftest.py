import threading

import pytest
import spacy
from helpers.installed_pipeline import PACKAGE

from spacy_gfl.tools.correction.progress_files import cut_sentences
from spacy_gfl.tools.correction.server import CorrectionServer
from spacy_gfl.tools.correction.session import Session

TEXTS = (
    "The keys to the cabinet are on the table.",
    "Who needs them?",
    "The bridge was closed by the council.",
    "Who needs them?",
)


@pytest.fixture(scope="session")
def trained(installed_pipeline):
    return spacy.load(installed_pipeline / PACKAGE / "model")


@pytest.fixture
def nlp(trained):
    yield trained
    trained.get_pipe("constituency_parser").search.probabilities = False


@pytest.fixture
def sentences(nlp):
    """Of text, as a pipeline cuts it."""
    with nlp.select_pipes(disable=["constituency_parser"]):
        return [one for doc in nlp.pipe(TEXTS) for one in cut_sentences(doc)]


@pytest.fixture
def output(tmp_path):
    return tmp_path / "mine.ptb"


@pytest.fixture
def begin(nlp, sentences, output):
    """Makes sessions, and ends each session that a test has not ended."""
    made = []

    def make(sentences=sentences, nlp=nlp, output=output, **settings):
        made.append(Session(nlp, sentences, output, **settings))
        return made[-1]

    yield make
    for session in made:
        session.close()


@pytest.fixture
def server(begin):
    """Serves a session of the sentences."""
    with CorrectionServer(begin()) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()
