//! The eight hooks: their names here, their handlers below.
//!
//! Nothing in this folder may read or write a file, the environment or the
//! clock: the edge (`cli::hook`) gathers, these decide.

pub mod guard_log;
pub mod handlers;
pub mod identity;
pub mod json;
pub mod outcome;
pub mod patch;
pub mod payload;
pub mod place;
pub mod planning;
pub mod secrets;
pub mod settings;
pub mod shell;
pub mod test_files;

/// One of the eight hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Hook {
    /// The line in the host's status bar.
    Statusline,
    /// The note before a compaction.
    ContextMonitor,
    /// The look for a newer version.
    CheckUpdate,
    /// The check of each write.
    Guard,
    /// The ledger row for each subagent.
    CostLogger,
    /// The trace events for each subagent.
    TraceLogger,
    /// The one block of a stop that drops a chain.
    StopGuard,
    /// The position handed back after a compaction.
    StateReinject,
}

impl Hook {
    /// All hooks, in the order the documents list them.
    pub const ALL: [Self; 8] = [
        Self::Statusline,
        Self::ContextMonitor,
        Self::CheckUpdate,
        Self::Guard,
        Self::CostLogger,
        Self::TraceLogger,
        Self::StopGuard,
        Self::StateReinject,
    ];

    /// The hooks whose handler exists in this version; the others are not registered.
    pub const BUILT: [Self; 1] = [Self::Guard];

    /// The name on the command line and in a registered command.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Statusline => "statusline",
            Self::ContextMonitor => "context-monitor",
            Self::CheckUpdate => "check-update",
            Self::Guard => "guard",
            Self::CostLogger => "cost-logger",
            Self::TraceLogger => "trace-logger",
            Self::StopGuard => "stop-guard",
            Self::StateReinject => "state-reinject",
        }
    }

    /// The hook of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|hook| hook.name() == name)
    }
}
