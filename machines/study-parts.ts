import type { DetectMeasured, DetectParts } from './study-types.ts';

/** One part of the detection: its evidence exists, or the reason why it cannot. */
export const part = <const Kind extends keyof DetectParts>(kind: Kind, what: string) =>
  ({
    description: `The part of the detection that measures ${what}.`,
    initial: 'measuring',
    states: {
      measuring: {
        description: 'The pass is still under way.',
        on: {
          'detect.measured': [
            {
              guard: {
                type: 'isAvailable',
                params: ({ event }: { event: DetectMeasured }) => ({ state: event[kind] }),
              },
              target: 'available',
            },
            { target: 'unavailable' },
          ],
        },
      },
      available: { type: 'final', description: 'The evidence exists.' },
      unavailable: { type: 'final', description: 'The media has nothing to measure; the study record says why.' },
    },
  }) as const;
