"""Trees, clauses and complexity of a typed text, in a browser.

pip install streamlit, then: streamlit run examples/streamlit_app.py
"""

import spacy
import streamlit as st

import spacy_gfl

TEXT = "The keys to the cabinet are on the table. Who took them while we slept?"


@st.cache_resource
def load(model: str) -> spacy.language.Language:
    """Load a pipeline once, for all visitors."""
    return spacy.load(model)


st.title("Constituency trees")
model = st.sidebar.text_input("Pipeline", "en_gfl_sm")
width = st.sidebar.slider("Width of a tree, in pixels", 300, 2000, 700)
text = st.text_area("Text", TEXT, max_chars=5000)
doc = load(model)(" ".join(text.split()))
for sent in doc.sents:
    # An image does not know whether the page around it is light or dark.
    options = {"max_width": width, "color": "black", "bg": "white"}
    svg = spacy_gfl.render(sent, jupyter=False, options=options)
    st.image(svg)
    st.code(sent._.parse_string, language="lisp", wrap_lines=True)
st.subheader("Clauses")
st.table([{"kind": one.kind, "clause": one.span.text} for one in doc._.clauses])
st.subheader("Complexity")
st.table({name: f"{value:.4g}" for name, value in doc._.complexity.items()})
