"""Section 5, as the paper writes it: ∇, minimization by line search, the saddle, the Hessian.

UNIVARIATEARGMIN brackets a minimum (MNBRAK) and shrinks the bracket by golden sections (GOLDEN),
after Press et al., until it is no wider than ε. All loops are recursion that ends by a test.
"""

PROGRAM = """
(define (dot u v) (if (null? u) 0 (+ (* (car u) (car v)) (dot (cdr u) (cdr v)))))
(define (magnitude v) (sqrt (dot v v)))
(define (v+ u v) (if (null? u) '() (cons (+ (car u) (car v)) (v+ (cdr u) (cdr v)))))
(define (k*v k v) (if (null? v) '() (cons (* k (car v)) (k*v k (cdr v)))))

(define (mnbrak f a b)
  (let ((c (+ b (* 1.618034 (- b a)))))
    (if (<= (f b) (f c)) (cons a c) (mnbrak f b c))))
(define (golden f a d epsilon)
  (if (<= (- d a) epsilon)
      (* 0.5 (+ a d))
      (let ((r (* 0.618034 (- d a))) (b (- d r)) (c (+ a r)))
        (if (< (f b) (f c)) (golden f a c epsilon) (golden f b d epsilon)))))
(define (univariate-argmin f epsilon)
  (let (((cons a d) (if (<= (f 1) (f 0)) (mnbrak f 0 1) (mnbrak f 0 -1))))
    (if (<= a d) (golden f a d epsilon) (golden f d a epsilon))))

(define (argmin f x0 epsilon)
  (let ((g ((gradient f) x0)))
    (if (<= (magnitude g) epsilon)
        x0
        (argmin f
                (v+ x0 (k*v (univariate-argmin (lambda (k) (f (v+ x0 (k*v k g)))) epsilon) g))
                epsilon))))
(define (argmax f x0 epsilon) (argmin (lambda (x) (- 0 (f x))) x0 epsilon))
(define (max f x0 epsilon) (f (argmax f x0 epsilon)))

(define payoff
  (lambda ((list s t) (list u v))
    (- (+ (* s s) (* t t)) (+ (* u u) (* v v)))))
(define (saddle x0 y0 epsilon)
  (let ((x* (argmin (lambda (x) (max (lambda (y) (payoff x y)) y0 epsilon)) x0 epsilon)))
    (cons x* (argmax (lambda (y) (payoff x* y)) y0 epsilon))))

(define (h*v f x v) ((gradient (lambda (x) (dot ((gradient f) x) v))) x))
(define quadratic
  (lambda ((list x y)) (+ (* 2 (* x x)) (+ (* 3 (* x y)) (* 4 (* y y))))))
"""
