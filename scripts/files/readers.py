"""What other readers make of files: FFmpeg (av), libsndfile (soundfile), pypdf and MuPDF (pymupdf).

`readers.py seeds FOLDER` writes intact files. `readers.py read` takes a path a line and answers each with a line of JSON.
"""

import io
import json
import math
import signal
import sys

import av
import numpy
import pymupdf
import pypdf
import soundfile

av.logging.set_level(av.logging.PANIC)
pymupdf.TOOLS.mupdf_display_errors(False)
pymupdf.TOOLS.mupdf_display_warnings(False)

MOST_PAGES = 400


def sound_seeds(folder):
    kinds = [
        ("wav", "pcm_s16le", [8000, 48000]),
        ("wav", "pcm_u8", [8000]),
        ("wav", "pcm_mulaw", [8000]),
        ("wav", "pcm_f32le", [44100]),
        ("mp3", "mp3", [16000, 44100]),
        ("flac", "flac", [8000, 44100]),
    ]
    for subtype in ("VORBIS", "OPUS"):
        for rate in (16000, 48000):
            for loud in (0, 0.3):
                samples = loud * numpy.sin(0.3 * numpy.arange(3 * rate))
                soundfile.write(f"{folder}/{subtype}-{rate}-{loud}.ogg", samples, rate, format="OGG", subtype=subtype)
    for ending, codec, rates in kinds:
        for rate in rates:
            for loud in (0, 8000):
                with av.open(f"{folder}/{codec}-{rate}-{loud}.{ending}", "w") as out:
                    stream = out.add_stream(codec, rate=rate, layout="mono")
                    resampler = av.AudioResampler(format=stream.format, layout="mono", rate=rate)
                    for start in range(0, 3 * rate, 1024):
                        samples = [int(loud * math.sin(0.3 * at)) for at in range(start, start + 1024)]
                        frame = av.AudioFrame(format="s16", layout="mono", samples=1024)
                        frame.planes[0].update(b"".join(one.to_bytes(2, "little", signed=True) for one in samples))
                        frame.sample_rate, frame.pts = rate, start
                        for fitted in resampler.resample(frame):
                            out.mux(stream.encode(fitted))
                    out.mux(stream.encode(None))


def page_seeds(folder):
    document = pymupdf.open()
    for number in range(6):
        page = document.new_page()
        page.insert_textbox((50, 50, 500, 700), f"Page {number}. " + "The quick brown fox. " * 40)
    document[0].add_freetext_annot((20, 20, 200, 60), "a note")
    document.save(f"{folder}/plain.pdf")
    document.save(f"{folder}/deflated.pdf", deflate=True, garbage=4)
    document.save(f"{folder}/packed.pdf", deflate=True, garbage=3, use_objstms=1)
    writer = pypdf.PdfWriter(clone_from=f"{folder}/deflated.pdf")
    writer.add_blank_page(612, 792)
    writer.write(f"{folder}/pypdf.pdf")


def image_seeds(folder):
    pixmap = pymupdf.Pixmap(pymupdf.csRGB, (0, 0, 321, 123))
    pixmap.clear_with(128)
    pixmap.save(f"{folder}/image.png")
    pixmap.save(f"{folder}/image.jpg")
    frame = av.VideoFrame(321, 123, "rgb24")
    for ending, codec, pixels in [("gif", "gif", "rgb8"), ("webp", "libwebp", "yuv420p")]:
        with av.open(f"{folder}/image.{ending}", "w") as out:
            stream = out.add_stream(codec, rate=1)
            stream.width, stream.height, stream.pix_fmt = 321, 123, pixels
            out.mux(stream.encode(frame.reformat(format=pixels)))
            out.mux(stream.encode(None))


def ffmpeg_seconds(path):
    with av.open(path) as file:
        told = (file.duration or 0) / av.time_base
        heard = 0.0
        for stream in file.streams.audio[:1]:
            told = max(told, float((stream.duration or 0) * (stream.time_base or 0)))
            try:
                for frame in file.decode(stream):
                    heard += frame.samples / frame.sample_rate
            except av.error.FFmpegError:
                pass
        return {"ffmpeg": told, "ffmpeg decoded": heard}


def sndfile_seconds(path):
    with soundfile.SoundFile(path) as file:
        told = file.frames if file.frames < 2**62 else 0
        heard = 0
        while True:
            block = file.read(65536)
            if len(block) == 0:
                break
            heard += len(block)
        return {"libsndfile": told / file.samplerate, "libsndfile decoded": heard / file.samplerate}


def size_of(texts):
    """Bytes without white space. A sign that a reader can't name is one token."""
    words = "".join("".join(text.replace("\ufffd", "?").split()) for text in texts)
    return len(words.encode("utf-8", "replace"))


def pypdf_pages(path):
    reader = pypdf.PdfReader(path, strict=False)
    pages = len(reader.pages)
    texts = [page.extract_text() for page in reader.pages[:MOST_PAGES]]
    return {"pypdf": [pages, size_of(texts)]}


def mupdf_pages(path):
    with pymupdf.open(path, filetype="pdf") as document:
        pages = document.page_count
        texts = []
        for number in range(min(pages, MOST_PAGES)):
            try:
                texts.append(document[number].get_text())
            except Exception:
                pass
        return {"mupdf": [pages, size_of(texts)]}


def ffmpeg_size(path):
    with av.open(path) as file:
        for frame in file.decode(video=0):
            return {"ffmpeg": [frame.width, frame.height]}
    return {}


def mupdf_size(path):
    pixmap = pymupdf.Pixmap(path)
    return {"mupdf": [pixmap.width, pixmap.height]}


READERS = {"pdf": [pypdf_pages, mupdf_pages], "sound": [ffmpeg_seconds, sndfile_seconds], "image": [ffmpeg_size, mupdf_size]}


def kind_of(path):
    ending = path.rsplit(".", 1)[1]
    return "pdf" if ending == "pdf" else "sound" if ending in ("wav", "mp3", "flac", "ogg") else "image"


def expire(*_):
    raise TimeoutError


def read(path):
    found = {}
    for reader in READERS[kind_of(path)]:
        signal.alarm(20)
        try:
            found.update(reader(path))
        except BaseException as error:  # A reader that fails reads nothing.
            if isinstance(error, KeyboardInterrupt):
                raise
        finally:
            signal.alarm(0)
    return found


if __name__ == "__main__":
    if sys.argv[1] == "seeds":
        sound_seeds(sys.argv[2])
        page_seeds(sys.argv[2])
        image_seeds(sys.argv[2])
    else:
        signal.signal(signal.SIGALRM, expire)
        out, sys.stdout = sys.stdout, io.StringIO()
        for line in sys.stdin:
            out.write(json.dumps(read(line.strip())) + "\n")
            out.flush()
