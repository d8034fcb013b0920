type Options = Readonly<Record<string, string>>;

const layered: Options = {
  'elk.algorithm': 'layered',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
  'elk.spacing.nodeNode': '28',
  'elk.spacing.edgeNode': '18',
  'elk.spacing.edgeEdge': '14',
  'elk.spacing.edgeLabel': '6',
  'elk.layered.spacing.nodeNodeBetweenLayers': '26',
  'elk.layered.spacing.edgeNodeBetweenLayers': '16',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '14',
};

/** The machine and everything in it is laid out at once, so that arrows may cross the borders of states. */
export const chartOptions = (seed: number): Options => ({
  ...layered,
  'elk.direction': 'DOWN',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.layered.cycleBreaking.strategy': 'MODEL_ORDER',
  'elk.json.edgeCoords': 'ROOT',
  'elk.json.shapeCoords': 'ROOT',
  'elk.randomSeed': String(seed),
});

export const compoundOptions: Options = { ...layered };

/** The regions of a parallel state lie below one another ... */
export const parallelOptions: Options = {
  ...layered,
  'elk.direction': 'RIGHT',
  'elk.hierarchyHandling': 'SEPARATE_CHILDREN',
  'elk.separateConnectedComponents': 'false',
  'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
  'elk.spacing.nodeNode': '12',
};

/** ... and each reads from left to right. */
export const regionOptions: Options = {
  ...layered,
  'elk.direction': 'RIGHT',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
  'elk.spacing.nodeNode': '14',
};

/** What keeps the main way straight and short while other arrows go around it. */
export const mainWayEdgeOptions: Options = {
  'elk.layered.priority.direction': '20',
  'elk.layered.priority.straightness': '20',
  'elk.layered.priority.shortness': '20',
};

/** The label interrupts its arrow; this option counts on the label alone, not on the graph. */
export const labelOptions: Options = { 'elk.edgeLabels.inline': 'true' };
