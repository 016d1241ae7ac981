"""Sizes of published models, and what their attention would cost in each form. To add one: append a Model."""

from dataclasses import dataclass

from linattn_core.cost.forms import Form, Sizes
from linattn_core.knobs import find

LENGTHS = (2**10, 2**17, 2**20)  # 1k, 128k, 1M tokens


@dataclass(frozen=True)
class Model:
    """Layers, query heads, key-value heads (fewer where query heads share them), components, bytes a number.

    What these models compute is softmax attention with a KV cache; the other forms are what the same sizes
    would cost. q, k and v have equally many components, and φ keeps their number.
    """

    key: str
    title: str
    layers: int
    heads: int
    kv_heads: int
    d: int
    bytes_per_number: int
    source: str

    def sizes(self, T: int, r: int = 1) -> Sizes:
        """One head of it, causal."""
        return Sizes(T, self.d, self.d, r=r)

    def multiply_adds(self, form: Form, T: int, r: int = 1) -> int:
        """Of all layers and heads over T tokens: written per key-value head, read per query head."""
        sizes = self.sizes(T, r)
        return self.layers * (self.kv_heads * form.write(sizes) + self.heads * form.read(sizes))

    def bytes_kept(self, form: Form, T: int, r: int = 1) -> int:
        """Of all layers, once per key-value head."""
        return self.layers * self.kv_heads * form.kept(self.sizes(T, r)) * self.bytes_per_number

    @property
    def break_even_time(self) -> float:
        """T* at which both orders take equally many multiply-adds: d (1 + kv_heads / heads) − 1."""
        return self.d * (1 + self.kv_heads / self.heads) - 1

    def score_bytes(self, T: int) -> int:
        """The T × T scores of every query head, where all of them stand at once, of one layer."""
        return self.heads * T * T * self.bytes_per_number


MODELS = (
    Model("gpt2", "GPT-2 small", 12, 12, 12, 64, 4, "Radford et al. 2019; float32 as published"),
    Model("llama2_7b", "Llama 2 7B", 32, 32, 32, 128, 2, "Touvron et al. 2023; float16"),
    Model("mistral_7b", "Mistral 7B", 32, 32, 8, 128, 2, "Jiang et al. 2023, table 1; bfloat16"),
    Model("llama3_8b", "Llama 3.1 8B", 32, 32, 8, 128, 2, "Grattafiori et al. 2024, table 3; bfloat16"),
    Model("llama3_70b", "Llama 3.1 70B", 80, 64, 8, 128, 2, "Grattafiori et al. 2024, table 3; bfloat16"),
)


def model(key: str) -> Model:
    """The model called `key`.

    Raises:
        InputError: no model has that key.
    """
    return find("model", MODELS, key)
