//! What is inside containers: the images that exist. Counterparts: the registries and the programs that people put into pods.
//!
//! Nothing here knows pods or the API. The kubelet starts containers and asks them; the time and everything else from outside is handed in.

pub mod images;
