"""The paper's decoder: one step a symbol of the linearized tree."""
