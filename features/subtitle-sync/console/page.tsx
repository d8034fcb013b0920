import type { PageFeature, PanelPlaces } from '../../../console/host/page-feature.ts';
import { lazyPanel } from '../../../console/parts/lazy-panel.tsx';

const Moving = lazyPanel('the times of the subtitles', async () => ({
  Panel: (await import('./moved-subtitles.tsx')).MovedSubtitles,
}));

/** The tracks of a plan that are known to be off the speech. */
function offTracks({ plan: { sides } }: PanelPlaces['plan']): readonly number[] {
  const off = [sides.source, sides.target].flatMap(({ choice, withSound }) =>
    choice?.chosen == null || withSound === null || withSound.verdict === 'in_sync' || withSound.verdict === 'unknown'
      ? []
      : [choice.chosen.trackIndex],
  );
  return [...new Set(off)];
}

/** Moves the subtitles of a plan to the speech, if they are off. */
export const subtitleSyncPage: PageFeature = {
  name: 'subtitle-sync',
  panels: {
    plan: (given) => offTracks(given).map((track) => <Moving key={track} overview={given.overview} track={track} />),
  },
};
