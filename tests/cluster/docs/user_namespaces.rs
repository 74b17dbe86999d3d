//! "Use a User Namespace With a Pod".

use super::Page;

#[test]
fn a_pod_has_its_own_users() {
    let mut page = Page::open();
    page.walk(
        "$ kubectl apply -f https://k8s.io/examples/pods/user-namespaces-stateless.yaml
           pod/userns created
         $ kubectl run plain --image=debian -- sleep infinity
         wait 6
         $ kubectl exec userns -- cat /proc/self/uid_map
           0 833617920 65536
         $ kubectl exec plain -- cat /proc/self/uid_map
           0 0 4294967295
         $ kubectl exec plain -- readlink /proc/self/ns/user
           user:[4026531837]
         $ kubectl exec userns -- readlink /proc/self/ns/user
         ! user:[4026531837]
           user:[",
    );
}
