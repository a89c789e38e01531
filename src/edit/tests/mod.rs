//! Tests of the editor.
