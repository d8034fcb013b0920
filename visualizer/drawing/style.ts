import type { TextRole } from '../../contract/lifecycles/charts.ts';
import type { Theme } from './theme.ts';
import { fontFamily, typefaces } from './typeface.ts';

/** The style sheet of one drawing; borders and lines in px. */
export const styleOf = (theme: Theme): string =>
  [
    `text{font-family:${fontFamily};white-space:pre}`,
    ...Object.entries(theme.text).map(([role, colour]) => {
      const { size, bold } = typefaces[role as TextRole];
      return `.${role}{font-size:${size}px;fill:${colour}${bold ? ';font-weight:bold' : ''}}`;
    }),
    `.page{fill:${theme.page}}`,
    `.box{stroke:${theme.border};stroke-width:1.2}`,
    ...theme.levels.map((colour, level) => `.level-${level} .box{fill:${colour}}`),
    `.alone .box{fill:${theme.alone}}`,
    `.alone.main-way .box{stroke:${theme.mainWay}}`,
    '.box.inner{fill:none}',
    '.region .box{stroke-dasharray:5 4}',
    `.arrow{fill:none;stroke:${theme.arrow};stroke-width:1.3}`,
    `.head{fill:${theme.arrow}}`,
    `.label{fill:${theme.label};stroke:${theme.arrow};stroke-width:.8}`,
    `.main-way .arrow{stroke:${theme.mainWay};stroke-width:2}`,
    `.main-way .head{fill:${theme.mainWay}}`,
    `.main-way .label{stroke:${theme.mainWay}}`,
    `.sign .label{stroke-dasharray:4 3}`,
    `.dot{fill:${theme.dot}}`,
  ].join('\n');
