/** The place of a cue of WebVTT by its settings (W3C WebVTT, section 4.4), as far as captions can have it. */
export interface CueSettings {
  /** As on a number pad: the nearest of nine places. */
  readonly alignment: number;
  /** True if the settings say more than that: a size, a region, or a place between those. */
  readonly isExact: boolean;
  readonly isVertical: boolean;
}

/** Thirds of a picture, in percent, and of the fifteen rows of a caption. */
const THIRDS = { percent: [34, 67], rows: [5, 10] } as const;
const ROWS = 15;

/** The rows of the number pad: 0 below, 1 in the middle, 2 above. */
function rowOf(line: string): number {
  const [value = ''] = line.split(',');
  const isShare = value.endsWith('%');
  const number = Number.parseFloat(value);
  if (Number.isNaN(number)) return 0;
  // A negative number counts rows from below.
  const fromAbove = isShare || number >= 0 ? number : ROWS + number;
  const [first, second] = isShare ? THIRDS.percent : THIRDS.rows;
  return fromAbove < first ? 2 : fromAbove < second ? 1 : 0;
}

/** The columns of the number pad: 1 at the left, 2 in the middle, 3 at the right. */
function columnOf(align: string, position: string): number {
  const isLeft = align === 'start' || align === 'left';
  const isRight = align === 'end' || align === 'right';
  const stated = Number.parseFloat(position);
  const at = Number.isNaN(stated) ? (isLeft ? 0 : isRight ? 100 : 50) : stated;
  const [first, second] = THIRDS.percent;
  return at < first ? 1 : at < second ? 2 : 3;
}

const wholePlaces: Readonly<Record<string, readonly string[]>> = {
  line: ['', 'auto', '0', '-1', '50%', '0%', '100%'],
  position: ['', 'auto', '0%', '50%', '100%'],
  size: ['', '100%'],
  region: [''],
};

/** The settings behind the times of a cue; null without any. */
export function cueSettings(settings: string): CueSettings | null {
  const stated = new Map(
    settings
      .split(/[ \t]+/)
      .map((each) => each.split(':', 2))
      .flatMap(([name = '', value]) => (value === undefined ? [] : [[name, value] as const])),
  );
  if (stated.size === 0) return null;
  const stating = (name: string): string => stated.get(name) ?? '';
  const isVertical = stated.has('vertical');
  // The lines of vertical text are columns.
  const alignment = isVertical ? 2 : 3 * rowOf(stating('line')) + columnOf(stating('align'), stating('position'));
  const isExact = Object.entries(wholePlaces).some(
    ([name, whole]) => !whole.includes(stating(name).split(',')[0] ?? ''),
  );
  return { alignment, isExact: isExact && !isVertical, isVertical };
}
