"""What does a program look like? String diagrams: wires are types, boxes are arrows."""
