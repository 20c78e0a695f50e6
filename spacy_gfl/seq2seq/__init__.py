"""The paper's decoder: one step per symbol of the linearized tree."""
