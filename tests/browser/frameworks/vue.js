// A course page written with Vue 3.
import { compile, createApp, createSSRApp, ref, useTemplateRef } from "vue";
import { SCALE, manifest } from "./lesson.mjs";

/** A template as the build of a project compiles it, told that the element is no component of Vue's. */
const compiled = (template) => compile(template, { isCustomElement: (tag) => tag === "loop-scope" });

const Cluster = {
  props: ["name"],
  setup() {
    const element = useTemplateRef("element");
    const said = ref("nothing");
    // A deep proxy, as most state in Vue is.
    const saved = ref(null);
    return {
      manifest,
      replicas: ref(2),
      theme: ref("light"),
      ready: ref(0),
      pods: ref("none"),
      said,
      saved,
      scale: async () => (said.value = (await element.value.kubectl(SCALE)).stdout),
      save: async () => (saved.value = await element.value.getState()),
      restore: async () => (said.value = `${(await element.value.setState(saved.value)).commands} commands`),
    };
  },
  render: compiled(`
    <section :aria-label="name">
      <button @click="replicas += 1">More replicas</button>
      <button @click="theme = 'dark'">Dark</button>
      <button @click="scale">Scale</button>
      <button @click="save">Save</button>
      <button @click="restore">Restore</button>
      <p>Ready: {{ ready }}. Converged: {{ pods }}. Said: {{ said }}. Saved: {{ saved ? "yes" : "no" }}.</p>
      <loop-scope
        ref="element"
        class="lesson"
        :label="'Cluster ' + name"
        :manifest="manifest(replicas)"
        :panels="['cluster']"
        :theme="theme"
        :nodes="2"
        speed="1"
        :readonly="false"
        :paused="false"
        :height="300"
        loading="eager"
        @loopscope-ready="ready += 1"
        @loopscope-converged="({ detail }) => pods = detail.pods.ready + ' of ' + detail.pods.desired"
      >
        <a href="/">A picture of the cluster</a>
      </loop-scope>
    </section>`),
};

export const App = {
  components: { Cluster },
  setup: () => ({ names: ref(["first"]), shown: ref(true) }),
  render: compiled(`
    <button @click="shown = !shown">Hide or show</button>
    <button @click="names.push('second')">Add</button>
    <button @click="names.reverse()">Swap</button>
    <template v-if="shown"><Cluster v-for="name in names" :key="name" :name="name" /></template>`),
};

export const mount = (target) => createApp(App).mount(target);
export const hydrate = (target) => createSSRApp(App).mount(target);
