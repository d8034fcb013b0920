import { z } from 'zod';
import { type ShotFact, shotFact } from '../contract/evidence/evidence.ts';
import { countText } from '../formats/readable-numbers.ts';
import { atPlaces, countOf, uncertainOf } from './found.ts';
import { gradeContradiction, type MeteredKind, stated } from './kind.ts';
import { CUT_RULE, CutFinder, cutFinderState } from './pictures/cut-finder.ts';
import { AREA_RULE, WHOLE_PICTURE } from './pictures/picture-area.ts';

/** A cut whose change exceeds that of its neighbors by less, in thousandths, is uncertain. */
const GRADE = { uncertainBelowMilli: 2000 } as const;

const isUncertain = (scoreMilli: number, below: number | null): boolean => below !== null && scoreMilli < below;

const state = z.strictObject({ shots: z.array(shotFact), cuts: cutFinderState });

/** Hard cuts. Other kinds of pictures learn of them, and of the flashes that are none. */
export const shotChanges: MeteredKind<'shot_changes', ShotFact, z.infer<typeof state>> = {
  name: 'shot_changes',
  title: 'shot changes',
  track: 'video',
  facts: { shot_change: { schema: shotFact, words: ['cut', { value: 'grade', before: ', ' }], tone: 'cut' } },
  order: 'successive',
  lane: { place: 70, about: 'pictures_and_sound', backdrop: null },
  summary: { words: ['Cuts: ', { value: 'count', form: 'number', otherwise: '0' }, '.'] },
  row: { usual: true, name: ({ grade }) => (grade === undefined ? 'cut' : 'cut uncertain') },
  contradiction: (evidence) =>
    gradeContradiction(evidence, ({ scoreMilli }, bound) => isUncertain(scoreMilli, bound('uncertainBelowMilli'))),
  found: (shots) => {
    const places = shots.map(({ atMs }) => ({ startMs: atMs, endMs: atMs }));
    const brief = `${countText(shots.length, 'cut')}${uncertainOf(shots)}`;
    return { brief, text: `${brief}${atPlaces(places)}`, measures: countOf(shots.length), places };
  },
  parameters: {
    ...stated(CUT_RULE),
    ...GRADE,
    ...stated(AREA_RULE, 'area.'),
    rule: 'the change of small pictures, within black bars, against that of their neighbours',
    limitation: 'between two pages, or two views, of nearly one drawing no cut is found',
  },
  state,
  meter: ({ range, announce }, from) => {
    const shots = from?.shots ?? [];
    const cuts = new CutFinder(
      ({ atMs, ratio }) => {
        announce.cut(atMs);
        if (atMs < range.startMs || atMs >= range.endMs) return;
        const scoreMilli = Math.round(ratio * 1000);
        const grade = isUncertain(scoreMilli, GRADE.uncertainBelowMilli) ? { grade: 'uncertain' as const } : {};
        shots.push({ kind: 'shot_change', index: shots.length, atMs, scoreMilli, ...grade });
      },
      ({ startMs, endMs }) => announce.flash({ startMs, endMs }),
      from?.cuts,
    );
    let area = from === null ? WHOLE_PICTURE : cuts.area;
    return {
      picture: (picture) => {
        cuts.add(picture);
        if (cuts.area === area) return;
        area = cuts.area;
        announce.area(area);
      },
      save: () => ({ shots, cuts: cuts.save() }),
      end: () => cuts.end(),
      facts: () => shots,
    };
  },
};
