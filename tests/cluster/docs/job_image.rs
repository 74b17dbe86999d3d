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

#[test]
fn the_commands_of_the_page() {
    let mut page = Page::open();
    page.walk(
        "$ kubectl apply -f https://kubernetes.io/examples/controllers/job.yaml
           job.batch/pi created
         wait 30
         $ kubectl describe job pi
           Pods Statuses: 0 Active (0 Ready) / 1 Succeeded / 0 Failed
           job-controller Created pod: pi-
           Completed
         $ pods=$(kubectl get pods --selector=batch.kubernetes.io/job-name=pi --output=jsonpath='{.items[*].metadata.name}'); echo $pods; kubectl logs $pods
           pi-
           3.1415926535897932384626433832795028841971693993751058209749445923078164062862089986280348253421170679
         $ kubectl logs jobs/pi
           3.14159265358979323846",
    );
}
