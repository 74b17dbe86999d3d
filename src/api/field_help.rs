//! One-sentence descriptions of the fields of the API types. Counterpart: the descriptions in the server's OpenAPI document, whose text is not used.
//!
//! `static/content/field_help.txt` has a line for each schema of `schema.txt`, in the same order, and below it one for each of its fields, indented by a blank.
//! `kubectl explain` and the editor's hover help read it.

use super::sorted::SortedMap;
use std::sync::OnceLock;

/// Schemas whose texts hold for all schemas with names that end in the same way. The texts of `*` hold for the rest.
const SHARED: [(&str, &str); 2] = [("Condition", "meta.v1.Condition"), ("Container", "core.v1.Container")];

fn table() -> &'static str {
    super::content::text("field_help.txt")
}

/// Returns the description of a field: `field_help("core.v1.PodSpec", "nodeName")`.
pub fn field_help(schema: &str, field: &str) -> Option<&'static str> {
    let shared = SHARED.iter().find(|(end, _)| schema.ends_with(end)).map_or("*", |(_, shared)| shared);
    in_block(schema, field).or_else(|| in_block(shared, field))
}

/// Returns true if new manifests should not use a field: its text says so, or it has none because its type is left out as rare.
pub fn is_out_of_use(schema: &str, field: &str) -> bool {
    field_help(schema, field).is_none_or(|text| text.starts_with("Deprecated: "))
}

/// Returns the description of a type: `type_help("core.v1.PodSpec")`.
pub fn type_help(schema: &str) -> Option<&'static str> {
    blocks().get(schema).map(|(text, _)| *text)
}

/// Returns the description of the field to which a path of field names leads from a type. The path has no list indices and no map keys.
pub fn path_help<'p>(schema: &str, path: impl IntoIterator<Item = &'p str>) -> Option<&'static str> {
    let mut at = super::schema::schema(schema);
    let mut help = type_help(schema);
    for name in path {
        let info = at?.field(name)?;
        help = field_help(at?.name, name);
        at = match info.kind {
            super::schema::Kind::Schema(inner) => super::schema::schema(inner),
            _ => None,
        };
    }
    help
}

/// Returns the description of each type, and the rest of the table behind it, which starts with the type's fields.
fn blocks() -> &'static SortedMap<&'static str, (&'static str, &'static str)> {
    static INDEX: OnceLock<SortedMap<&'static str, (&'static str, &'static str)>> = OnceLock::new();
    INDEX.get_or_init(|| {
        let mut rest = table();
        let lines = std::iter::from_fn(|| {
            let (line, after) = rest.split_once('\n')?;
            rest = after;
            Some((line, after))
        });
        let heads = lines.filter(|(line, _)| !line.starts_with(' '));
        heads.filter_map(|(line, after)| line.split_once(' ').map(|(name, text)| (name, (text, after)))).collect()
    })
}

fn in_block(schema: &str, field: &str) -> Option<&'static str> {
    let (_, lines) = blocks().get(schema)?;
    let mut fields = lines.lines().map_while(|line| line.strip_prefix(' ')).filter_map(|line| line.split_once(' '));
    fields.find(|(name, _)| *name == field).map(|(_, text)| text)
}

#[cfg(test)]
mod tests {
    use super::super::{content, schema};
    use super::*;

    /// Volumes of cloud vendors, of drivers that were removed and of hardware, and what else nobody meets in a cluster to learn with: one sentence is enough.
    const WITHOUT_FIELDS: &[&str] = &[
        "AWSElasticBlockStoreVolumeSource",
        "AzureDiskVolumeSource",
        "AzureFilePersistentVolumeSource",
        "AzureFileVolumeSource",
        "CephFSPersistentVolumeSource",
        "CephFSVolumeSource",
        "CinderPersistentVolumeSource",
        "CinderVolumeSource",
        "ConfigMapNodeConfigSource",
        "FCVolumeSource",
        "FlexPersistentVolumeSource",
        "FlexVolumeSource",
        "FlockerVolumeSource",
        "GCEPersistentDiskVolumeSource",
        "GitRepoVolumeSource",
        "GlusterfsPersistentVolumeSource",
        "GlusterfsVolumeSource",
        "ISCSIPersistentVolumeSource",
        "ISCSIVolumeSource",
        "NodeConfigSource",
        "NodeConfigStatus",
        "PhotonPersistentDiskVolumeSource",
        "PortworxVolumeSource",
        "QuobyteVolumeSource",
        "RBDPersistentVolumeSource",
        "RBDVolumeSource",
        "ScaleIOPersistentVolumeSource",
        "ScaleIOVolumeSource",
        "StorageOSPersistentVolumeSource",
        "StorageOSVolumeSource",
        "VsphereVirtualDiskVolumeSource",
        "WindowsSecurityContextOptions",
    ];

    /// Returns all schemas in the order of their table.
    fn schemas() -> Vec<schema::SchemaRef> {
        let names = content::text("schema.txt").lines().filter_map(|line| line.split([' ', '@']).next());
        names.filter_map(schema::schema).collect()
    }

    #[test]
    fn every_schema_and_field_has_a_text() {
        let mut missing = Vec::new();
        for schema in schemas() {
            let without_text = schema.fields.iter().map(|info| info.name).filter(|name| field_help(schema.name, name).is_none());
            let fields: Vec<String> = without_text.map(|name| format!("{}.{name}", schema.name)).collect();
            if type_help(schema.name).is_none() {
                missing.push(schema.name.to_owned());
            }
            if WITHOUT_FIELDS.contains(&schema.go_type()) {
                assert!(!fields.is_empty(), "{} is no exception any more", schema.name);
            } else {
                missing.extend(fields);
            }
        }
        assert_eq!(missing, Vec::<String>::new());
        assert!(WITHOUT_FIELDS.iter().all(|name| schema::schema(&format!("core.v1.{name}")).is_some()));
    }

    #[test]
    fn every_line_is_a_sentence_about_a_field_that_exists() {
        let mut at = None;
        for line in table().lines() {
            let (name, text) = line.trim_start().split_once(' ').unwrap();
            assert!(text.ends_with('.') && text.chars().count() <= 200, "{line}");
            if !line.starts_with(' ') {
                at = schema::schema(name);
                assert!(at.is_some() || name == "*", "{name}");
            } else if let Some(schema) = at.filter(|s| s.name != "meta.v1.Condition") {
                assert!(schema.field(name).is_some(), "{}.{name}", schema.name);
            }
        }
    }

    #[test]
    fn schemas_are_in_the_order_of_their_table_and_fields_in_that_of_the_alphabet() {
        let heads = table().lines().filter(|line| !line.starts_with(' ')).filter_map(|line| line.split(' ').next());
        assert_eq!(heads.skip(1).collect::<Vec<_>>(), schemas().iter().map(|schema| schema.name).collect::<Vec<_>>());
        let mut last = "";
        for line in table().lines() {
            let name = line.strip_prefix(' ').and_then(|line| line.split(' ').next()).unwrap_or_default();
            assert!(name.is_empty() || last < name, "{line}");
            last = name;
        }
    }

    #[test]
    fn help_is_found_by_type_by_path_and_for_what_several_types_share() {
        assert!(field_help("core.v1.Container", "image").unwrap().contains("nginx"));
        assert!(field_help("core.v1.Pod", "kind").unwrap().contains("CamelCase"));
        assert_eq!(field_help("apps.v1.DeploymentCondition", "reason"), field_help("meta.v1.Condition", "reason"));
        assert_eq!(field_help("core.v1.EphemeralContainer", "image"), field_help("core.v1.Container", "image"));
        assert_eq!(field_help("core.v1.EphemeralContainer", "ports"), Some("Not allowed here."));
        assert_eq!(field_help("core.v1.Container", "nope"), None);
        let path = ["spec", "template", "spec", "containers", "image"];
        assert_eq!(path_help("apps.v1.Deployment", path), field_help("core.v1.Container", "image"));
        assert_eq!(path_help("apps.v1.Deployment", ["spec", "nope"]), None);
    }

    #[test]
    fn fields_out_of_use_are_known() {
        assert!(is_out_of_use("core.v1.Volume", "glusterfs") && is_out_of_use("core.v1.GlusterfsVolumeSource", "path"));
        assert!(!is_out_of_use("core.v1.Volume", "configMap"));
    }
}
