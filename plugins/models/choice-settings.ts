import { type DeclaredSetting, settingSchemas } from 'kern/plugin';
import { modelRoles } from './contract.ts';

/** A model for each role, or several of which the first that can be used counts. */
export type ModelRoles = Readonly<Partial<Record<(typeof modelRoles)[number], string | readonly string[]>>>;

const name = { type: 'string', minLength: 1 };
const names = { anyOf: [name, { type: 'array', items: name, minItems: 1 }] };

const isName = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isNames = (value: unknown): boolean =>
  isName(value) || (Array.isArray(value) && value.length > 0 && value.every(isName));

const roles = settingSchemas.schemaOf<ModelRoles>(
  `a model, or a list of models, for some of ${modelRoles.join(', ')}`,
  (value): value is ModelRoles =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.entries(value).every(([role, model]) => modelRoles.some((one) => one === role) && isNames(model)),
  {
    type: 'object',
    properties: Object.fromEntries(modelRoles.map((role) => [role, names])),
    additionalProperties: false,
  },
);

const catalog = settingSchemas.schemaOf<string | false>(
  'an http or https address, or false',
  (value): value is string | false =>
    value === false || (typeof value === 'string' && /^https?:\/\//.test(value) && URL.canParse(value)),
  { anyOf: [{ type: 'string', format: 'uri' }, { const: false }] },
);

/** Which models are chosen. Not for a project: it would decide whose servers read the conversation. */
export const choiceSettings: readonly DeclaredSetting[] = [
  {
    key: 'modelRoles',
    schema: roles,
    default: undefined,
    summary:
      'The model for each role: default, small, slow, plan, vision, commit, task. A list is tried in order; :high at the end says how long it thinks.',
  },
  {
    key: 'enabledModels',
    schema: settingSchemas.texts,
    default: undefined,
    summary: 'Which models there are to choose from, by name or pattern: anthropic/*, *sonnet*. Default: all.',
  },
  {
    key: 'modelCatalog',
    schema: catalog,
    default: 'https://models.dev/api.json',
    summary: 'Where `kern models refresh` gets prices and new models; false: from no catalogue.',
  },
];
