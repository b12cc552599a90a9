// The address is part of what orval writes.
const output = (name) => ({ target: `dist/orval/${name}.ts`, client: "fetch", mode: "single", baseUrl: process.env.SINK_URL });

export default {
  sink: { input: "dist/sink.json", output: output("sink") },
  forms: { input: "dist/forms.json", output: output("forms") },
  photos: { input: "dist/photos.json", output: output("photos") },
};
