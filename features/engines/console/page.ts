import type { PageFeature } from '../../../console/host/page-feature.ts';
import { lazyPanel } from '../../../console/parts/lazy-panel.tsx';

/** A card for each engine under Operations, and the one that fits this machine at the first start. */
export const enginesPage: PageFeature = {
  name: 'engines',
  panels: {
    operations: lazyPanel('the engines', async () => ({ Panel: (await import('./engine-cards.tsx')).EnginesPanel })),
    firstSteps: lazyPanel('the engines', async () => ({ Panel: (await import('./engine-cards.tsx')).FirstEngine })),
  },
};
