"""The laws of the textbooks, by name."""

from laws.structures import categories, derivatives, pullback

FILES = (categories, derivatives, pullback)

ELLIOTT = {law.name: law for law in derivatives.OF_ELLIOTT}
NAMED = {law.name: law for file in FILES for law in file.LAWS} | ELLIOTT
