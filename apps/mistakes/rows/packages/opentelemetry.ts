import { openTelemetry } from '@fairlead/opentelemetry';
import { using } from '../../src/applications.js';
import { area } from '../../src/mistake.js';

const mistake = area('Options of @fairlead/opentelemetry');

mistake(
  '`openTelemetry({ includeStack })`, an option of `errorHandler`',
  { compiler: "'includeStack'", startup: "has no option 'includeStack'" },
  () => using(openTelemetry({ includeStack: true })),
);
