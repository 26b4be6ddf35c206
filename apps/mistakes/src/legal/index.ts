import './middleware.js';
import './applications.js';
import './controllers.js';
import './guards.js';
import './validation.js';
import './files.js';
import './places.js';
import './contradictions.js';
