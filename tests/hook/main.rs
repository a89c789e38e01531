//! Hook calls, run as a host runs them: the real program, a payload on standard
//! input, a home and a project of its own.

#[cfg(test)]
mod cases;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod input;
#[cfg(test)]
mod sandbox;
#[cfg(test)]
mod shapes;
#[cfg(test)]
mod twice;
