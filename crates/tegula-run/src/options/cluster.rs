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
    pub struct ClusterOptions under "Machine" {
        /// Where texts are read and compared: on this machine, or on a Spark cluster, with the same
        /// bytes as the result; needs Python with the packages `tegula` and `pyspark` [default: here]
        pub engine: Option<EngineName> => "ENGINE",

        /// The Spark cluster, such as spark://host:7077, yarn, or sc://host for Spark Connect
        /// [default: that of Spark's own configuration, or this machine]
        pub master: Option<String> => "URL",

        /// Folder that all machines of the cluster reach, for what they send to each other; a run that
        /// was stopped goes on from there [default: beside the output]
        #[serde(with = "tegula_io::path::option")]
        pub staging: Option<PathBuf> => "DIR",
    }
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
        if self.engine == Some(EngineName::Spark) {
            return Err(Error::of("⟨engine=spark⟩")
                .problem("this program is not connected to a cluster")
                .hint("use tegula.spark in Python, or the command line"));
        }
        let given = [
            ("⟨master⟩", self.master.is_some()),
            ("⟨staging⟩", self.staging.is_some()),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) => Err(Error::of(*option)
                .expected("⟨engine=spark⟩")
                .found("a run on this machine")
                .hint("leave it out, or add ⟨engine=spark⟩")),
            None => Ok(host),
        }
    }
}
