"""Random typed programs as VLAD, in which no type is left; arrays are lists."""

from typing import Any

from papers.vlad.values import Pair as Cons
from papers.vlad.values import force
from tests.strategies.language import (
    Again,
    At,
    Both,
    Call,
    Case,
    Combine,
    Down,
    Fold,
    If,
    In,
    Lam,
    Let,
    ListOf,
    Map,
    Num,
    Op,
    Part,
    Program,
    Ref,
    Scan,
    Total,
)

PRELUDE = """
(define (map1 f xs) (if (null? xs) '() (cons (f (car xs)) (map1 f (cdr xs)))))
(define (map2 f xs ys)
  (if (null? xs) '() (cons (f (car xs) (car ys)) (map2 f (cdr xs) (cdr ys)))))
(define (each1 f x) (if (real? x) (f x) (map1 f x)))
(define (each2 f x y)
  (if (real? x)
      (if (real? y) (f x y) (map1 (lambda (b) (f x b)) y))
      (if (real? y) (map1 (lambda (a) (f a y)) x) (map2 f x y))))
(define (fold f c xs) (if (null? xs) c (fold f (f c (car xs)) (cdr xs))))
(define (scan f c xs)
  (if (null? xs)
      '()
      (let (((cons after item) (f c (car xs)))) (cons item (scan f after (cdr xs))))))
(define (down ends more xs) (if (null? xs) (ends '()) (more (car xs) (down ends more (cdr xs)))))
(define (again ends more n x)
  (if (<= n 0) (ends x) (more (lambda (y) (again ends more (- n 1) y)) x)))
(define (by t) (lambda (c x) (+ (+ c x) (* t (* c x)))))
(define (twice f) (lambda (c x) (let ((d (f c x))) (cons d d))))
(define (either f g s) (if (= (car s) 0) (f (cdr s)) (g (cdr s))))
(define (append xs ys) (if (null? xs) ys (cons (car xs) (append (cdr xs) ys))))
(define (reversed xs) (fold (lambda (made x) (cons x made)) '() xs))
(define (tanh x) (let ((e (exp (* 2 x)))) (/ (- e 1) (+ e 1))))
(define (quotient x y) (/ x (+ 1 (* y y))))
(define (softlog x) (log (+ 1 (* x x))))
"""

NAMES = {"add": "+", "subtract": "-", "multiply": "*", "negative": "negate"}


def text(expr: Any) -> str:
    match expr:
        case Ref(name):
            return name
        case Num(value):
            return repr(float(value))
        case Op(name, args):
            return f"(each{len(args)} {NAMES.get(name, name)} {' '.join(map(text, args))})"
        case Lam(name, _, body):
            return f"(lambda ({name}) {text(body)})"
        case Call(function, argument):
            return f"({text(function)} {text(argument)})"
        case Both(left, right):
            return f"(cons {text(left)} {text(right)})"
        case Part(index, pair):
            return f"({('car', 'cdr')[index]} {text(pair)})"
        case Let(name, bound, body):
            return f"(let (({name} {text(bound)})) {text(body)})"
        case If(left, right, then, other):
            return f"(if (< {text(left)} {text(right)}) {text(then)} {text(other)})"
        case Fold(carry, item, step, init, xs):
            return f"(fold (lambda ({carry} {item}) {text(step)}) {text(init)} {text(xs)})"
        case Scan(carry, item, step, out, init, xs):
            both = f"(cons {text(step)} {text(out)})"
            return f"(scan (lambda ({carry} {item}) {both}) {text(init)} {text(xs)})"
        case Map(item, body, xs):
            return f"(map1 (lambda ({item}) {text(body)}) {text(xs)})"
        case Total(xs):
            return f"(fold + 0 {text(xs)})"
        case At(xs, index):
            found = text(xs)
            for _ in range(index):
                found = f"(cdr {found})"
            return f"(car {found})"
        case Combine(way, t, xs):
            op = f"(by {text(t)})"
            if way == "reduce":
                return f"(fold {op} 0 {text(xs)})"
            step = f"(twice {op})"
            if way == "scanl":
                return f"(scan {step} 0 {text(xs)})"
            return f"(reversed (scan {step} 0 (reversed {text(xs)})))"
        case In(index, _, value):
            return f"(cons {index} {text(value)})"
        case Case(given, left, one, right, other):
            branches = f"(lambda ({left}) {text(one)}) (lambda ({right}) {text(other)})"
            return f"(either {branches} {text(given)})"
        case ListOf(items, tail):
            rest = text(tail[0]) if tail else "'()"
            return f"(append (list {' '.join(map(text, items))}) {rest})"
        case Down(item, rest, ends, more, xs):
            further = f"(lambda ({item} {rest}) {text(more)})"
            return f"(down (lambda (nothing) {text(ends)}) {further} {text(xs)})"
        case Again(function, state, _, ends, more, calls, init):
            last, further = f"(lambda ({state}) {text(ends)})", f"({function} {state})"
            return f"(again {last} (lambda {further} {text(more)}) {calls} {text(init)})"
    raise TypeError(expr)


def in_vlad(program: Program) -> str:
    return f"(lambda ({' '.join(name for name, _ in program.params)}) {text(program.body)})"


def numbers(v: Any) -> Any:
    """Pairs and lists of reals as nested tuples; a list as far as it goes."""
    match force(v):
        case Cons(left, right):
            rest = numbers(right)
            return (numbers(left), *rest) if isinstance(rest, tuple) else (numbers(left), rest)
        case other:
            return other
