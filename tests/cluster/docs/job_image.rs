//! "Jobs": the image that computes pi, as a bare pod.

use super::Page;

#[test]
fn the_image_of_the_job_computes_pi() {
    let mut page = Page::open();
    page.apply(
        "
apiVersion: v1
kind: Pod
metadata:
  name: pi
spec:
  restartPolicy: Never
  containers:
  - name: pi
    image: perl:5.34.0
    command: [\"perl\",  \"-Mbignum=bpi\", \"-wle\", \"print bpi(2000)\"]
",
    );
    page.pass(30);
    assert_eq!(page.status("pi"), "Completed");
    assert!(page.run("logs pi").starts_with("3.14159265358979323846264338327950288419716939937510"));
}
