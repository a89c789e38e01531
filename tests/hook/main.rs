//! Hook calls, run as a host runs them: the real program, a payload on standard
//! input, a home and a project of its own.

mod cases;
mod hostile;
mod input;
mod sandbox;
mod shapes;
mod twice;
