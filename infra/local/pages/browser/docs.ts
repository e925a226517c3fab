import swaggerUi from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import 'swagger-ui-dist/swagger-ui.css';
import './docs.css';

swaggerUi({
  url: '/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  displayOperationId: false,
  displayRequestDuration: true,
  docExpansion: 'list',
  filter: false,
  persistAuthorization: true,
  tryItOutEnabled: true,
  // Its badge would send the document to a service on the internet.
  validatorUrl: null,
});

// Swagger UI has a dark theme, but leaves it to the page to ask for it.
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
