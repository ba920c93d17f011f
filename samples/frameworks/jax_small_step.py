# SPDX-License-Identifier: Apache-2.0
"""A JAX training job of a small network. Prints one JSON line with the median step time and a checksum of the losses."""
import json
import statistics
import time

import jax
import jax.numpy as jnp


def forward(parameters, inputs):
    for weight in parameters:
        inputs = jnp.tanh(inputs @ weight)
    return inputs


def loss_of(parameters, inputs, targets):
    return jnp.mean((forward(parameters, inputs) - targets) ** 2)


@jax.jit
def train_step(parameters, inputs, targets):
    loss, gradients = jax.value_and_grad(loss_of)(parameters, inputs, targets)
    return loss, [p - 0.01 * g for p, g in zip(parameters, gradients)]


def main():
    keys = jax.random.split(jax.random.PRNGKey(1), 12)
    parameters = [jax.random.normal(k, (512, 512)) * 0.05 for k in keys[:10]]
    inputs = jax.random.normal(keys[10], (256, 512))
    targets = jax.random.normal(keys[11], (256, 512))
    times, losses = [], []
    for _ in range(60):
        start = time.perf_counter()
        loss, parameters = train_step(parameters, inputs, targets)
        losses.append(float(loss))
        times.append((time.perf_counter() - start) * 1e6)
    print(json.dumps({"median_us": statistics.median(times[10:]), "loss_sum": sum(losses).hex()}))


if __name__ == "__main__":
    main()
