const key = `# Charts

Drawn from the machines in \`machines/\` by \`npm run charts\`; nothing here is written by hand. \`npm run charts -- --check\`
says whether a drawing still matches its machine. Each \`.json\` holds the same chart as data, by
\`contract/lifecycles/charts.ts\`, and each \`.drawing.json\` says where its parts lie, by \`contract/lifecycles/charts.ts\`. The
drawings name their states and transitions with the ids that stand in the chart. A host serves both at \`GET /v1/charts/:chartId\`.

| sign | meaning |
| --- | --- |
| dot | where a state begins |
| double border | a final state |
| dashed border | a region: all regions of a state are active at the same time |
| blue | the main way, which the machine declares: what it is made for |
| \`event [guard] / actions\` | a transition; on an arrow that leaves a box that holds others, it holds in all of them |
| \`in any state\` | a transition of the whole machine; \`anywhere in x\`, one of the whole state \`x\` |
| \`journal\` | the types of the events that join the journal, in the commit of that transition or of entering that state |
| \`invoke\` | an effect that runs as long as its state is active |
| \`x done\`, \`error of x\` | the effect \`x\` has ended well, or not |
`;

const pictureOf = (machineId: string): string => `
## ${machineId}

<picture>
  <source media="(prefers-color-scheme: dark)" srcset="${machineId}.dark.svg">
  <img alt="The chart of ${machineId}" src="${machineId}.light.svg">
</picture>
`;

/** The page that shows all drawings and says how to read them, in Markdown. */
export const readmeOf = (machineIds: readonly string[]): string => key + machineIds.map(pictureOf).join('');
