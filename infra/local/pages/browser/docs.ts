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
  // The badge would send the document to a validator on the internet.
  validatorUrl: null,
});

// Swagger UI has a dark theme that the page must enable.
const dark = matchMedia('(prefers-color-scheme: dark)');
const applyTheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', applyTheme);
applyTheme();
