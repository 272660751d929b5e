//! Questions.

use crate::answers::{Answers, Checked, OneOrMany, Question};
use crate::app::App;
use crate::body::Body;
use crate::problem::Problem;
use crate::refusals::{BodyRefusals, Refusals};
use axum::Json;
use axum::extract::State;
use std::sync::Arc;
use std::time::Instant;
use tokio::task::spawn_blocking;
use tokio::time::timeout_at;

/// Ask what in the index resembles a text, or each of several.
#[utoipa::path(
    post,
    path = "/query",
    request_body(content = Question, description = "A text, and what is to be found"),
    responses(
        (status = 200, description = "What resembles it", body = Answers),
        Refusals,
        BodyRefusals,
    ),
    security(("token" = []), ())
)]
pub(crate) async fn query(
    State(app): State<Arc<App>>,
    Body { value, room }: Body<Question>,
) -> Result<Json<Answers>, Problem> {
    let checked = Checked::new(&app.index, &value)?;
    let deadline = Instant::now() + app.settings.timeout;
    let turn = timeout_at(deadline.into(), app.gate.turn())
        .await
        .map_err(|_| Problem::late())??;
    let answer = spawn_blocking(move || {
        let _held = (turn, room);
        let ask = |text: &str| {
            if Instant::now() > deadline {
                return Err(Problem::late());
            }
            app.metrics.asked.inc();
            checked.ask(&app.index, text).map_err(|error| {
                app.failed(&error);
                Problem::from(&error)
            })
        };
        match &value.text {
            OneOrMany::One(text) => ask(text).map(Answers::One),
            OneOrMany::Many(texts) => {
                let answers = texts.iter().map(|text| ask(text));
                answers
                    .collect::<Result<_, _>>()
                    .map(|answers| Answers::Many { answers })
            }
        }
    });
    let answer = timeout_at(deadline.into(), answer)
        .await
        .map_err(|_| Problem::late())?;
    answer.map_err(|_| Problem::stopping())?.map(Json)
}
