//! A host file in either language, behind one interface.

use super::document::{Document, Grammar, Node};
use super::entries::{self, Change, Edited, Found, Made, Shape};
use super::toml::{self, Toml};
use crate::error::Error;

/// The language of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// JSON, or JSON with what the grammar allows besides.
    Json,
    /// TOML.
    Toml,
}

/// A file as its host reads it.
#[derive(Debug, Clone)]
#[expect(
    clippy::large_enum_variant,
    reason = "one is made for a file and lives as long as its plan"
)]
pub enum Parsed<'a> {
    /// JSON or JSONC.
    Json(Document<'a>),
    /// TOML.
    Toml(Box<Toml<'a>>),
}

impl<'a> Parsed<'a> {
    /// Reads `text`, `None` for a file that is not there.
    ///
    /// # Errors
    /// The host would not accept the text.
    pub fn parse(
        text: Option<&'a str>,
        grammar: &Grammar,
        language: Language,
    ) -> Result<Self, Error> {
        Ok(match (language, text) {
            (Language::Json, None) => Self::Json(Document::absent(grammar)),
            (Language::Json, Some(text)) => Self::Json(Document::parse(text, grammar)?),
            (Language::Toml, text) => {
                Self::Toml(Box::new(Toml::parse(text.unwrap_or_default(), grammar)?))
            }
        })
    }

    /// The values in it.
    pub const fn document(&self) -> &Document<'a> {
        match self {
            Self::Json(document) => document,
            Self::Toml(toml) => toml.document(),
        }
    }

    /// The handlers in it; see [`entries::found`].
    ///
    /// # Errors
    /// It is unclear which events the host reads.
    pub fn found(&self, shape: &Shape) -> Result<Vec<Found>, Error> {
        entries::found(self.document(), shape)
    }

    /// What would make the host ignore the file or the event; see
    /// [`entries::check`].
    ///
    /// # Errors
    /// The host would.
    pub fn check(&self, shape: &Shape, event: &str) -> Result<(), Error> {
        entries::check(self.document(), shape, event)
    }

    /// The changes as splices.
    ///
    /// # Errors
    /// The file cannot be changed as asked, or not without doubt.
    pub fn splices(&self, shape: &Shape, changes: &[Change], made: &Made) -> Result<Edited, Error> {
        match self {
            Self::Json(document) => entries::splices(document, shape, changes, made),
            Self::Toml(toml) => toml::splices(toml, shape, changes, made),
        }
    }

    /// The groups of `event`, in order.
    pub fn groups(&self, shape: &Shape, event: &str) -> &[Node] {
        let keys: Vec<&str> = shape.events_at.iter().map(String::as_str).collect();
        let path: Vec<&str> = keys.into_iter().chain([event]).collect();
        let array = self.document().get(&path).unwrap_or_default();
        array.and_then(Node::elements).unwrap_or_default()
    }

    /// Indexes of the groups of `event` that hold an empty list of handlers and
    /// nothing else.
    pub fn empty_groups(&self, shape: &Shape, event: &str) -> Vec<usize> {
        let groups = self.groups(shape, event).iter().enumerate();
        groups
            .filter(|(_, group)| {
                group.members().is_some_and(|members| members.len() == 1)
                    && group
                        .member(&shape.group_key)
                        .and_then(Node::elements)
                        .is_some_and(<[Node]>::is_empty)
            })
            .map(|(index, _)| index)
            .collect()
    }

    /// Whether the file has an event of anyone's: a key below the events that holds
    /// a list.
    pub fn has_events(&self, shape: &Shape) -> bool {
        let keys: Vec<&str> = shape.events_at.iter().map(String::as_str).collect();
        let events = self.document().get(&keys).unwrap_or_default();
        let members = events.and_then(Node::members).unwrap_or_default();
        members
            .iter()
            .any(|member| member.value.elements().is_some())
    }
}
