"""eSpeak NG, Debian's speech synthesiser."""

import ctypes
from ctypes.util import find_library

import numpy as np

from training.sampling import Array

_SYNCHRONOUS, _UTF8 = 2, 1  # as in speak_lib.h
_PARAMETERS = {"speed": 1, "pitch": 3, "range": 4}


class Synthesiser:
    """Says texts in one voice after another, and stops when there are more than so many seconds of a text."""

    def __init__(self, seconds: float = np.inf) -> None:
        self._library = ctypes.CDLL(find_library("espeak-ng") or "libespeak-ng.so.1")
        self._heard: list[Array] = []
        self.rate: int = self._library.espeak_Initialize(_SYNCHRONOUS, 0, None, 0)

        @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p)
        def listen(samples: "ctypes._Pointer[ctypes.c_short]", number: int, _: int | None) -> int:
            if number:
                self._heard.append(np.ctypeslib.as_array(samples, (number,)).copy())
            return int(sum(map(len, self._heard)) > seconds * self.rate)

        self._listen = listen  # the library only points to it
        self._library.espeak_SetSynthCallback(listen)

    def speak_as(self, voice: str) -> None:
        """Take another voice."""
        if self._library.espeak_SetVoiceByName(voice.encode()):
            raise RuntimeError(f"eSpeak NG has no voice {voice}")

    def set(self, **parameters: int) -> None:
        """Set the speed in words a minute, the pitch or its range."""
        for name, value in parameters.items():
            self._library.espeak_SetParameter(_PARAMETERS[name], value, 0)

    def say(self, text: str) -> Array:
        """Samples of a text."""
        self._heard.clear()
        data = text.encode() + b"\0"
        self._library.espeak_Synth(data, ctypes.c_size_t(len(data)), 0, 1, 0, _UTF8, None, None)
        return np.concatenate(self._heard)
