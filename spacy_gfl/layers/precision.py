"""The precisions that a user may ask for; `products` knows what they are."""

from typing import Literal

#: "auto" is the fastest of the others on the processor that costs no accuracy.
Precision = Literal["auto", "fp32", "bf16", "int8"]
