# SPDX-License-Identifier: Apache-2.0
"""Lets a test import the scripts of tools/."""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
