// The address is part of what orval writes.
export default {
  sink: {
    input: "dist/sink.json",
    output: { target: "dist/orval/sink.ts", client: "fetch", mode: "single", baseUrl: process.env.SINK_URL },
  },
};
