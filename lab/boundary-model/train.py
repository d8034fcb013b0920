"""Trains the boundary model on sets of lab/build-training-set.ts, and writes its weights (lab/docs/speech-model.md).

usage: python3 lab/boundary-model/train.py MODEL.onnx STEPS SET...

Needs python3-torch and python3-numpy of Debian. One seed, one thread: equal sets give equal weights with one version of PyTorch on
one processor, and weights that differ in their last digits on another.
"""

import hashlib
import sys

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.optim.swa_utils import AveragedModel

# A row of a set: the levels of the bands, the estimate of the speech model, the share of the step (16 ms) that is speech.
BANDS = 32
COLUMNS = BANDS + 2
CLIP_STEPS = 1500

# Crops are judged to their ends, because a range may begin and end in the middle of a sound.
CROP_STEPS = 640
BATCH = 16
# The first weights and the crops follow from it.
SEED = 1

CHANNELS = 48
DILATIONS = (1, 2, 4, 8, 16, 32)
# The mean of each band over so many steps is taken off: two seconds on each side.
MEAN_STEPS = 257

FIRST_RATE, LAST_RATE = 2e-3, 2e-5
# The weights that are kept are a mean of those of the last steps: each step moves it by this share.
AVERAGED_SHARE = 0.002
# In this share of the crops some neighbouring bands say nothing, so that no speech depends on a few bands.
MASKED_CROPS = 0.3
LEAST_MASKED, MOST_MASKED = 2, 8
# There are few speakers: half of the crops are of longer or shorter vocal tracts, and half of faster or slower speech.
WARPED_CROPS = STRETCHED_CROPS = 0.5
WARPS = np.linspace(0.86, 1.16, 13)
MOST_STRETCHED = 1.2
SHOWN_EVERY = 100


class BoundaryModel(nn.Module):
    """Convolutions over steps; each step sees 192 before and behind it (128 of the mean, 64 of the convolutions)."""

    def __init__(self):
        super().__init__()
        self.mean = nn.AvgPool1d(MEAN_STEPS, 1, padding=MEAN_STEPS // 2, count_include_pad=False)
        self.first = nn.Conv1d(BANDS + 1, CHANNELS, 3, padding=1)
        self.layers = nn.ModuleList(nn.Conv1d(CHANNELS, CHANNELS, 3, padding=d, dilation=d) for d in DILATIONS)
        self.last = nn.Conv1d(CHANNELS, 1, 1)

    def logits(self, levels, estimate):
        """[tracks, steps] of [tracks, steps, 32] and [tracks, steps, 1]."""
        # From logarithms of powers to about -4 to 4; a mean that is taken off makes the model blind to loudness.
        bands = torch.clamp(levels.transpose(1, 2) / 4 + 2, -4, 4)
        bands = bands - self.mean(bands)
        probability = torch.clamp(estimate.transpose(1, 2), 1e-4, 1 - 1e-4)
        odds = torch.log(probability / (1 - probability)) / 4
        found = F.relu(self.first(torch.cat([bands, odds], 1)))
        for layer in self.layers:
            found = found + F.relu(layer(found))
        return self.last(found)[:, 0]

    def forward(self, levels, estimate):
        return torch.sigmoid(self.logits(levels, estimate))


def read_sets(files):
    """All clips: [clips, steps, columns]; the files stay on disk."""
    sets = [np.memmap(file, dtype="<f4", mode="r").reshape(-1, CLIP_STEPS, COLUMNS) for file in files]
    return [clip for each in sets for clip in each]


def warping(factor):
    """Takes levels to those of a vocal tract whose resonances are higher by a factor; the bands are those of speech-bands.ts."""
    mel = np.linspace(2595 * np.log10(1 + 60 / 700), 2595 * np.log10(1 + 7800 / 700), BANDS + 2)[1:-1]
    source = 2595 * np.log10(1 + (10 ** (mel / 2595) - 1) / factor)
    place = np.clip((source - mel[0]) / (mel[1] - mel[0]), 0, BANDS - 1)
    return np.maximum(0, 1 - np.abs(place[:, None] - np.arange(BANDS))).astype(np.float32)


WARPINGS = [warping(factor) for factor in WARPS]


def drawn_crop(clip, random):
    """A part of a clip; some with another speaker or at another speed."""
    speed = MOST_STRETCHED ** random.uniform(-1, 1) if random.random() < STRETCHED_CROPS else 1
    steps = int(np.ceil(CROP_STEPS * speed)) + 1
    start = random.integers(CLIP_STEPS - steps + 1)
    rows = np.asarray(clip[start : start + steps], dtype=np.float32)
    places = np.arange(CROP_STEPS) * speed
    before = places.astype(int)
    share = (places - before).astype(np.float32)[:, None]
    crop = rows[before] * (1 - share) + rows[before + 1] * share
    if random.random() < WARPED_CROPS:
        crop[:, :BANDS] = crop[:, :BANDS] @ WARPINGS[random.integers(len(WARPINGS))].T
    return crop


def batch_of(clips, random):
    """Crops of drawn clips: levels, estimates, and speech."""
    rows = torch.from_numpy(np.stack([drawn_crop(clips[random.integers(len(clips))], random) for _ in range(BATCH)]))
    for row in rows:
        if random.random() < MASKED_CROPS:
            count = random.integers(LEAST_MASKED, MOST_MASKED + 1)
            first = random.integers(BANDS - count + 1)
            masked = row[:, first : first + count]
            masked[:] = masked.mean(0)
    return rows[:, :, :BANDS], rows[:, :, BANDS : BANDS + 1], rows[:, :, BANDS + 1]


def train(clips, steps):
    """A model with the mean of the weights that it had lately."""
    torch.manual_seed(SEED)
    model = BoundaryModel()
    averaged = AveragedModel(model, avg_fn=lambda mean, now, _: mean + AVERAGED_SHARE * (now - mean))
    random = np.random.default_rng(SEED)
    optimizer = torch.optim.AdamW(model.parameters(), lr=FIRST_RATE, weight_decay=1e-3)
    losses = []
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = FIRST_RATE * (1 - step / steps) + LAST_RATE
        levels, estimate, speech = batch_of(clips, random)
        loss = F.binary_cross_entropy_with_logits(model.logits(levels, estimate), speech)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        averaged.update_parameters(model)
        losses.append(loss.item())
        if len(losses) % SHOWN_EVERY == 0 or len(losses) == steps:
            recent = losses[-SHOWN_EVERY:]
            print(f"step {len(losses)}: loss {sum(recent) / len(recent):.4f}", flush=True)
    return averaged.module


def export(model, file):
    model.eval()
    names = ["levels", "estimate", "probability"]
    torch.onnx.export(
        model,
        (torch.zeros(2, 448, BANDS), torch.full((2, 448, 1), 0.5)),
        file,
        input_names=names[:2],
        output_names=names[2:],
        dynamic_axes={name: {0: "tracks", 1: "steps"} for name in names},
        opset_version=15,
    )
    with open(file, "rb") as weights:
        return hashlib.sha256(weights.read()).hexdigest()


def main():
    if len(sys.argv) < 4:
        sys.exit("usage: python3 lab/boundary-model/train.py MODEL.onnx STEPS SET...")
    file, steps, sets = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    torch.set_num_threads(1)
    clips = read_sets(sets)
    model = train(clips, steps)
    print(f"{sum(each.numel() for each in model.parameters())} parameters, {len(clips)} clips")
    print(f"SHA-256 of {file}: {export(model, file)}")


if __name__ == "__main__":
    main()
