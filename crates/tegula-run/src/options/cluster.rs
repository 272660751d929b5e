//! Where texts are read and compared: on this machine, or on a cluster.

use crate::host::Host;
use std::path::PathBuf;
use tegula::error::{Error, Result};

tegula::choices! {
    /// Where texts are read and compared.
    pub enum EngineName, by default Here {
        /// On this machine
        Here = "here",
        /// On a Spark cluster
        Spark = "spark",
    }
}

tegula::options! {
    /// Where texts are read and compared.
    pub struct EngineOptions under "Machine" {
        /// Where texts are read and compared: on this machine or, with byte-identical results, on a
        /// Spark cluster, which needs Python with the packages `tegula` and `pyspark` [default:
        /// here]
        pub engine: Option<EngineName> => "ENGINE",
    }
}

impl EngineOptions {
    /// Refuses an option that is for clusters only, if it is given without one.
    fn check(&self, option: &str, is_given: bool) -> Result<()> {
        if self.engine == Some(EngineName::Spark) || !is_given {
            return Ok(());
        }
        Err(Error::of(option)
            .expected("⟨engine=spark⟩")
            .found("a run on this machine")
            .hint("leave it out, or add ⟨engine=spark⟩"))
    }
}

tegula::options! {
    /// The cluster whose costs are estimated.
    pub struct ExecutorOptions under "Machine" {
        /// Also estimate the costs of a run on Spark, and its time with this many 4-core executors
        pub executors: Option<u32> => "N",
    }
    blocks {
        /// Where texts would be read and compared.
        pub place: EngineOptions,
    }
    besides {}
}

impl ExecutorOptions {
    /// Whether texts would be compared on a cluster.
    ///
    /// # Errors
    /// If there are executors without a cluster, or none.
    pub(crate) fn is_cluster(&self) -> Result<bool> {
        let engine = self.place.engine;
        self.place
            .check("⟨executors⟩", engine.is_some() && self.executors.is_some())?;
        if self.executors == Some(0) {
            return Err(Error::of("⟨executors⟩").expected("1 or more").found(0));
        }
        Ok(engine == Some(EngineName::Spark) || self.executors.is_some())
    }
}

tegula::options! {
    /// Where texts are read and compared.
    pub struct ClusterOptions under "Machine" {
        /// The Spark cluster, such as spark://host:7077, yarn, or sc://host for Spark Connect
        /// [default: that of Spark's own configuration, or this machine]
        pub master: Option<String> => "URL",

        /// Folder that all machines of the cluster can access, for the data they exchange; a run
        /// that was stopped resumes from there [default: beside the output]
        #[serde(with = "tegula_io::path::option")]
        pub staging: Option<PathBuf> => "DIR",
    }
    blocks {
        /// Where texts are read and compared.
        pub place: EngineOptions,
    }
    besides {}
}

impl ClusterOptions {
    /// The host of a run that is asked for with these options.
    ///
    /// # Errors
    /// If it has no cluster, or an option is for clusters only.
    pub(crate) fn host(&self, host: Host) -> Result<Host> {
        if host.engine().is_some() {
            return Ok(host.staging_in(self.staging.clone()));
        }
        if self.place.engine == Some(EngineName::Spark) {
            return Err(Error::of("⟨engine=spark⟩")
                .problem("this program is not connected to a cluster")
                .hint("use tegula.spark in Python, or the command line"));
        }
        self.place.check("⟨master⟩", self.master.is_some())?;
        self.place.check("⟨staging⟩", self.staging.is_some())?;
        Ok(host)
    }
}
