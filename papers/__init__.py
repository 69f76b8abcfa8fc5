"""What do the papers write down? Each system literally: a folder a paper, a file a figure.

They are for reading, with the paper open: plain functions and dataclasses, named as there. They
stand on the language and its numbers alone, and on nothing that makes derivatives elsewhere in the
house; laws hold the two together.
"""
