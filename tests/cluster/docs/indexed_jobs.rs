//! "Indexed Job for Parallel Processing with Static Work Assignment" and "Handling retriable and non-retriable pod failures with Pod failure policy".

use super::Page;

#[test]
fn each_index_gets_its_own_piece() {
    let mut page = Page::open();
    page.walk(
        "$ kubectl apply -f https://k8s.io/examples/application/job/indexed-job.yaml
           job.batch/indexed-job created
         wait 30
         $ kubectl wait job/indexed-job --for=condition=Complete --timeout=60s
           condition met
         $ kubectl describe jobs/indexed-job
           Completion Mode: Indexed
           Pods Statuses: 0 Active (0 Ready) / 5 Succeeded / 0 Failed
           Completed Indexes: 0-4
         $ kubectl logs -l batch.kubernetes.io/job-completion-index=3
           xuq
         $ kubectl logs -l batch.kubernetes.io/job-completion-index=0
           oof",
    );
}

#[test]
fn a_failure_policy_ends_the_job_at_once() {
    let mut page = Page::open();
    page.walk(
        "$ kubectl create -f https://k8s.io/examples/controllers/job-pod-failure-policy-failjob.yaml
           job.batch/job-pod-failure-policy-failjob created
         wait 60
         $ kubectl get jobs -l job-name=job-pod-failure-policy-failjob -o yaml
           failed with exit code 42 matching FailJob rule at index 0
           reason: PodFailurePolicy
           type: FailureTarget
           type: Failed
           failed: 2
         $ kubectl delete jobs/job-pod-failure-policy-failjob
           deleted",
    );
}

#[test]
fn a_drained_pod_is_not_counted() {
    let mut page = Page::open();
    page.walk(
        "$ kubectl create -f https://k8s.io/examples/controllers/job-pod-failure-policy-ignore.yaml
           job.batch/job-pod-failure-policy-ignore created
         wait 15
         $ kubectl drain node-1 node-2 node-3 --force --ignore-daemonsets --delete-emptydir-data
           drained
         $ kubectl get jobs -l job-name=job-pod-failure-policy-ignore -o jsonpath={.items[0].status.failed}
           ! 1
         $ kubectl uncordon node-1 node-2 node-3
           node/node-1 uncordoned
         $ kubectl wait job/job-pod-failure-policy-ignore --for=condition=Complete --timeout=500s
           condition met",
    );
}
