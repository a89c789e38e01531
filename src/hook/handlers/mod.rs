//! One file a hook: facts in, an outcome out.

pub mod guard;
